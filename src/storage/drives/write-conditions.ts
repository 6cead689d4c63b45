import {
  DriveError,
  type ObjectMetadata,
  type ObjectName,
  type RemovalConditions,
  type WriteConditions,
} from './drive.ts'

/**
 * Checks conditions against the current object, whose ETag is `etag`; undefined if there is no
 * object (RFC 9110 section 13.1; API reference, PutObject: "If-Match on an object that does not
 * exist is 404"). Call it while no other process can write the key.
 *
 * @throws DriveError `not-found` for If-Match without an object, otherwise `condition`.
 */
export function assertConditions(
  name: ObjectName,
  etag: string | undefined,
  conditions: WriteConditions = {},
): void {
  const { ifMatch, ifNoneMatch } = conditions
  if (ifMatch !== undefined && etag === undefined) {
    throw new DriveError('not-found', `If-Match: ${name.bucket}/${name.key} does not exist`)
  }
  const failed =
    (ifMatch !== undefined && !isAmong(etag, ifMatch)) ||
    (ifNoneMatch !== undefined && isAmong(etag, ifNoneMatch))
  if (failed) {
    const state = etag === undefined ? 'does not exist' : `has the ETag "${etag}"`
    throw new DriveError('condition', `${name.bucket}/${name.key} ${state}`)
  }
}

/** What conditions compare. */
export interface ObjectVersion extends Pick<ObjectMetadata, 'modifiedAtMs'> {
  readonly etag: string
}

export function versionOf(metadata: ObjectMetadata | undefined): ObjectVersion | undefined {
  if (metadata === undefined) return undefined
  return { etag: metadata.attributes.etag, modifiedAtMs: metadata.modifiedAtMs }
}

/** As `assertConditions`, for a removal. */
export function assertRemovalConditions(
  name: ObjectName,
  current: ObjectVersion | undefined,
  conditions: RemovalConditions = {},
): void {
  assertConditions(name, current?.etag, conditions)
  const { ifModifiedAtMs, assertMayGoOn } = conditions
  assertMayGoOn?.()
  if (ifModifiedAtMs === undefined || current?.modifiedAtMs === ifModifiedAtMs) return
  throw new DriveError('condition', `${name.bucket}/${name.key} has been written again`)
}

function isAmong(etag: string | undefined, etags: readonly string[] | '*'): boolean {
  return etag !== undefined && (etags === '*' || etags.includes(etag))
}
