/**
 * When a client is too slow to keep a resource that others wait for: a connection to this process
 * (src/platform/http) or one to the drive (src/storage/drives/kit/cloud/read-limiter.ts).
 */

/** A client that takes bytes more slowly than this is slow; bytes a second. */
export const minimumRate = 16 * 1024
/** How far a slow client may fall behind that rate before its connection is ended. */
export const longestLagMs = 30_000
/** The same for the body of a client that was not authenticated. */
export const longestLagOfStrangersMs = 5_000
