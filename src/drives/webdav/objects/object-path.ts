import { DriveError, type ObjectName } from '../../drive.ts'
import { isLegalKey, pathOfKey } from '../../key-path.ts'
import type { NameRules } from '../../name-rules.ts'
import type { DavPath } from '../client/dav-path.ts'

/** The possible paths of an object (key-path.ts), below the drive's root, bucket first. */
export interface DavObjectPath extends ObjectName {
  readonly natural: DavPath
  readonly alternative: DavPath
  /** The natural path as text, unique to the object: the key of its lease and records. */
  readonly leaseKey: string
  /** The natural path's folder as text: the key of its lease and revision. */
  readonly folderKey: string
}

/** @throws DriveError `invalid-key` for what S3 does not allow as a key. */
export function objectPathOf(bucket: string, key: string, rules: NameRules): DavObjectPath {
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
    leaseKey: textOf(path),
    folderKey: textOf(path.slice(0, -1)),
  }
}

/**
 * The object whose natural path is this folder on the way to `object`: for `a/b/c`, the objects `a`
 * and `a/b`. Undefined for folders that are the natural path of no object, such as pieces of names.
 */
export function ownerOf(
  object: DavObjectPath,
  folder: string,
  rules: NameRules,
): DavObjectPath | undefined {
  for (let end = object.key.indexOf('/'); end >= 0; end = object.key.indexOf('/', end + 1)) {
    if (end === 0) continue
    const owner = objectPathOf(object.bucket, object.key.slice(0, end), rules)
    if (owner.leaseKey === folder) return owner
  }
  return undefined
}

/** A path as text, for leases, records and logs. Names never contain `/`. */
export function textOf(path: DavPath): string {
  return path.join('/')
}
