import type { ObjectName } from '../../drive.ts'
import { keysAbove, pathOfKey, requireLegalKey } from '../../kit/names/key-path.ts'
import type { NameRules } from '../../kit/names/name-rules.ts'
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
export function davPathOf(bucket: string, key: string, rules: NameRules): DavObjectPath {
  requireLegalKey(key)
  const { natural, alternative } = pathOfKey(key, rules)
  const above = bucketFolder(bucket)
  const path = [...above, ...natural]
  return {
    bucket,
    key,
    natural: path,
    alternative: [...above, ...alternative],
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
  return keysAbove(object.key)
    .map((key) => davPathOf(object.bucket, key, rules))
    .find((owner) => owner.leaseKey === folder)
}

export function bucketFolder(bucket: string): DavPath {
  return bucket.split('/')
}

/** A path as text, for leases, records and logs. Names never contain `/`. */
export function textOf(path: DavPath): string {
  return path.join('/')
}
