import type { ObjectName } from '../drive.ts'
import { keysAbove, pathOfKey, requireLegalKey } from '../kit/names/key-path.ts'

/** A path in two parts: the folder's path below the root (bucket first), and the name in it. */
export interface FilePath {
  /** `bucket` or `bucket/a/b`. */
  readonly folder: string
  readonly name: string
}

/** The paths of an object's file (key-path.ts). The file is at the natural path unless that is a folder. */
export interface ObjectPath extends ObjectName {
  readonly natural: FilePath
  readonly alternative: FilePath
  /** The natural path below the root: the object's name for locks and records. */
  readonly path: string
}

/** @throws DriveError `invalid-key` for a key that S3 does not allow */
export function localPathOf(bucket: string, key: string): ObjectPath {
  requireLegalKey(key)
  const { natural, alternative } = pathOfKey(key)
  const filePath = filePathOf(bucket, natural)
  return {
    bucket,
    key,
    natural: filePath,
    alternative: filePathOf(bucket, alternative),
    path: `${filePath.folder}/${filePath.name}`,
  }
}

/**
 * Former versions of a bucket's objects are in a bucket of their own in the drive's own folder, like the trash
 * (trash-bucket.ts). Each key that has any has a folder there, at its alternative path, where no key has a folder.
 */
const versionsFolder = '.bucketry/versions/'

export function versionStoreOf(bucket: string): string {
  return versionsFolder + bucket
}

/** @param path below the root */
export function isVersionStore(path: string): boolean {
  return path.startsWith(versionsFolder)
}

/** The folder with the former versions of an object. */
export interface HistoryPath {
  /** The object's key in the version store. */
  readonly store: ObjectPath
  /** The path of a file in the folder, without a name. */
  readonly filePath: FilePath
}

export function historyPathOf({ bucket, key }: ObjectName): HistoryPath {
  const store = localPathOf(versionStoreOf(bucket), key)
  return { store, filePath: { folder: joinFilePath(store.alternative), name: '' } }
}

/** The file's path below the root. */
export function joinFilePath(filePath: FilePath): string {
  return `${filePath.folder}/${filePath.name}`
}

/**
 * The object whose natural path is this folder on the way to `objectPath`: for `a/b/c`, the objects
 * `a` and `a/b`. Undefined for folders that are the natural path of no object, such as pieces of names.
 * @param path below the root
 */
export function displacedBy(objectPath: ObjectPath, path: string): ObjectPath | undefined {
  // A file there that is no version was put there by a person.
  if (isVersionStore(objectPath.bucket)) return undefined
  let owners = ownersByPath.get(objectPath)
  if (owners === undefined) {
    owners = new Map(
      keysAbove(objectPath.key)
        .map((key) => localPathOf(objectPath.bucket, key))
        .map((owner) => [owner.path, owner]),
    )
    ownersByPath.set(objectPath, owners)
  }
  return owners.get(path)
}

/** Cached, because a key may have 500 folders, and each is looked up. */
const ownersByPath = new WeakMap<ObjectPath, ReadonlyMap<string, ObjectPath>>()

function filePathOf(bucket: string, components: readonly string[]): FilePath {
  const name = components.at(-1) ?? ''
  if (components.length === 1) return { folder: bucket, name }
  return { folder: `${bucket}/${components.slice(0, -1).join('/')}`, name }
}
