/**
 * A time in an XML document, ISO 8601. Whole seconds, as in Last-Modified, so that clients that
 * compare the two find them equal.
 *
 * @param atMs milliseconds since the epoch
 */
export function xmlTimestamp(atMs: number): string {
  return new Date(Math.floor(atMs / 1000) * 1000).toISOString()
}
