import { DriveError, type WriteConditions } from '../drive.ts'

/**
 * RFC 9110 section 13.1.1 and 13.1.2, as AWS applies them to writes ("conditional writes").
 * @param etag of what is at the key now; undefined when nothing is.
 * @throws DriveError `condition`, or `not-found` for If-Match where nothing is.
 */
export function requireConditions(conditions: WriteConditions, etag: string | undefined): void {
  const { ifMatch, ifNoneMatch } = conditions
  if (ifMatch !== undefined) {
    if (etag === undefined) throw new DriveError('not-found', 'There is no object to match.')
    if (!matches(ifMatch, etag)) throw new DriveError('condition', 'The object is another one.')
  }
  if (ifNoneMatch !== undefined && etag !== undefined && matches(ifNoneMatch, etag)) {
    throw new DriveError('condition', 'There is such an object already.')
  }
}

function matches(condition: readonly string[] | '*', etag: string): boolean {
  return condition === '*' || condition.includes(etag)
}
