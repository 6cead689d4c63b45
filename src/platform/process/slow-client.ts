/**
 * When a client is too slow to keep a resource that others need: a connection to this process
 * (src/platform/http) or one to the drive (src/storage/drives/kit/cloud/read-limiter.ts).
 */

/** Minimum rate of a client that is not slow, bytes per second. */
export const minimumRate = 16 * 1024
/** How far a client may fall behind that rate before its connection is closed. */
export const longestLagMs = 30_000
/** The same for the body of a client that is not authenticated. */
export const longestLagOfStrangersMs = 5_000
