import type {
  CopySource,
  ObjectMetadata,
  ObjectName,
  RemovalConditions,
  WriteConditions,
} from './drive.ts'
import { changedSource, DriveError } from './drive-error.ts'

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

/** What conditions are compared with. */
export interface ObjectVersion extends Pick<ObjectMetadata, 'modifiedAtMs'> {
  readonly etag: string
}

export function versionOf(metadata: ObjectMetadata | undefined): ObjectVersion | undefined {
  if (metadata === undefined) return undefined
  return { etag: metadata.attributes.etag, modifiedAtMs: metadata.modifiedAtMs }
}

/**
 * As `assertConditions`, for a removal. ETags are compared with the current version, also if another one is removed
 * (AWS, "How to perform conditional deletes").
 *
 * @param removed the version with the `versionId` of the conditions
 */
export function assertRemovalConditions(
  name: ObjectName,
  current: ObjectVersion | undefined,
  conditions: RemovalConditions = {},
  removed = current,
): void {
  assertConditions(name, current?.etag, conditions)
  const { ifModifiedAtMs, assertMayGoOn } = conditions
  assertMayGoOn?.()
  if (ifModifiedAtMs === undefined || removed?.modifiedAtMs === ifModifiedAtMs) return
  throw new DriveError('condition', `${name.bucket}/${name.key} has been written again`)
}

function isAmong(etag: string | undefined, etags: readonly string[] | '*'): boolean {
  return etag !== undefined && (etags === '*' || etags.includes(etag))
}

const plainMd5 = /^[0-9a-f]{32}$/

/**
 * Whether a drive can copy the object with this ETag by itself. If the ETag is not an MD5, it does
 * not apply to the copy, and the caller must read the bytes to compute one.
 * @throws DriveError `changed` if it is not the version to copy
 */
export function canCopy(source: CopySource, etag: string): boolean {
  if (etag !== source.etag) throw changedSource(source)
  return plainMd5.test(etag)
}
