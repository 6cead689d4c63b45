import fs, { type Stats } from 'node:fs'
import { CachedObject } from '../../cached-object.ts'
import type { ObjectMetadata } from '../../drive.ts'
import { SizedCache } from '../../sized-cache.ts'
import type { LocalRoot } from '../local-root.ts'
import type { ObjectPath } from '../object-path.ts'
import { attributesBytes } from './attribute-cache.ts'
import type { ClosedFile } from './object-files.ts'
import { readFlags } from './paced-files.ts'

interface SeenFile {
  readonly path: string
  readonly stats: Stats
  readonly metadata: ObjectMetadata
}

/** Larger objects are read in chunks. */
const smallBytes = 64 * 1024

/** Cached files, and the most that the attributes of one may take: some 30 MB at worst. */
const maxSeen = 8192
const maxAttributesBytes = 2 * 1024

/**
 * Objects that were opened before. Small ones can be read again with four system calls: the file is opened
 * by its path without checking the folders in it, read, and must then have the identity of the file that
 * was found when they were checked. Identities are never reused (file-identity.ts), so it is the same
 * file with the same bytes, however the path was resolved. In the same way the metadata of each takes one
 * call.
 */
export class SeenFileCache {
  readonly #root: LocalRoot
  readonly #seen = new SizedCache<SeenFile>(maxSeen)

  constructor(root: LocalRoot) {
    this.#root = root
  }

  /** Adds a file that was opened as the object at this path. */
  add(objectPath: ObjectPath, { path, stats }: ClosedFile, metadata: ObjectMetadata): void {
    if (attributesBytes(metadata.attributes) > maxAttributesBytes) return
    // A file at the alternative path is the object only while there is none at the natural one.
    if (path !== `${this.#root.path}/${objectPath.path}`) return
    // A file on another file system may have the same identity.
    if (stats.dev !== this.#root.own.device) return
    this.#seen.set(`${objectPath.bucket}/${objectPath.key}`, { path, stats, metadata })
  }

  /** The object's metadata; undefined when it must be looked up. */
  head(bucket: string, key: string): ObjectMetadata | undefined {
    const name = `${bucket}/${key}`
    const seen = this.#seen.get(name)
    if (seen === undefined) return undefined
    const isSame = this.#root.files.readsNow(() => isUnchanged(seen, this.#root.hasBirthtime))
    if (isSame === false) this.#seen.delete(name)
    return isSame === true ? seen.metadata : undefined
  }

  /** A small object with its bytes; undefined when it must be looked up or is not small. */
  read(bucket: string, key: string): CachedObject | undefined {
    const name = `${bucket}/${key}`
    const seen = this.#seen.get(name)
    if (seen === undefined || seen.metadata.size > smallBytes) return undefined
    const outcome = this.#root.files.readsNow(() => readUnchanged(seen, this.#root.hasBirthtime))
    if (outcome === 'changed') this.#seen.delete(name)
    return typeof outcome === 'object' ? new CachedObject(seen.metadata, outcome) : undefined
  }
}

function isUnchanged({ path, stats }: SeenFile, hasBirthtime: boolean): boolean {
  try {
    const now = fs.lstatSync(path, { throwIfNoEntry: false })
    return now !== undefined && isSameFile(now, stats, hasBirthtime)
  } catch {
    // Looking up the object fails in the same way, and reports the error.
    return false
  }
}

/** Opening anything but a device is harmless, and only root can create a device there. */
function readUnchanged({ path, stats }: SeenFile, hasBirthtime: boolean): Buffer | 'changed' {
  try {
    const fd = fs.openSync(path, readFlags)
    try {
      const content = Buffer.allocUnsafe(stats.size)
      const bytesRead = fs.readSync(fd, content, 0, content.length, 0)
      // Checked after the read: a file that is unchanged now was unchanged during the read.
      const isSame = isSameFile(fs.fstatSync(fd), stats, hasBirthtime)
      return isSame && bytesRead === content.length ? content : 'changed'
    } finally {
      fs.closeSync(fd)
    }
  } catch {
    // Looking up the object fails in the same way, and reports the error.
    return 'changed'
  }
}

/** Compares identities (file-identity.ts), and the file systems. */
function isSameFile(now: Stats, seen: Stats, hasBirthtime: boolean): boolean {
  return (
    now.ino === seen.ino &&
    now.dev === seen.dev &&
    now.mtimeMs === seen.mtimeMs &&
    now.size === seen.size &&
    (!hasBirthtime || now.birthtimeMs === seen.birthtimeMs)
  )
}
