import { DriveError, type ObjectName } from '../../drive.ts'
import { isLegalKey, pathOfKey } from '../../key-path.ts'
import type { NameRules } from '../../name-rules.ts'
import type { DavPath } from '../client/dav-path.ts'

/** Where an object may be (key-path.ts): paths below the drive's root, bucket first. */
export interface DavPlace extends ObjectName {
  readonly natural: DavPath
  readonly alternative: DavPath
  /** The natural path as text. One place, one object: leases and records go by it. */
  readonly path: string
  /** The natural path's folder as text. */
  readonly folder: string
}

/** @throws DriveError `invalid-key` for what S3 does not allow as a key. */
export function davPlaceOf(bucket: string, key: string, rules: NameRules): DavPlace {
  if (!isLegalKey(key)) {
    throw new DriveError('invalid-key', 'A key must have 1 to 1,024 bytes of UTF-8.')
  }
  const { natural, alternative } = pathOfKey(key, rules)
  const path = [bucket, ...natural]
  return {
    bucket,
    key,
    natural: path,
    alternative: [bucket, ...alternative],
    path: textOf(path),
    folder: textOf(path.slice(0, -1)),
  }
}

/**
 * The object whose natural path a folder on the way to this place has: of `a/b/c` those of `a` and
 * `a/b`. Undefined for folders that no object could have, such as pieces of names.
 */
export function ownerOf(place: DavPlace, folder: string, rules: NameRules): DavPlace | undefined {
  for (let end = place.key.indexOf('/'); end >= 0; end = place.key.indexOf('/', end + 1)) {
    if (end === 0) continue
    const owner = davPlaceOf(place.bucket, place.key.slice(0, end), rules)
    if (owner.path === folder) return owner
  }
  return undefined
}

/** A path as text, for leases, records and logs. Names have no `/`. */
export function textOf(path: DavPath): string {
  return path.join('/')
}
