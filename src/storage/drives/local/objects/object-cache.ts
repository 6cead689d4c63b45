import fs, { type Stats } from 'node:fs'
import { SizedCache } from '../../../../platform/process/sized-cache.ts'
import type { ObjectMetadata, OpenObject } from '../../drive.ts'
import { CachedObject } from '../../kit/cached-object.ts'
import type { FileClock } from '../file-clock.ts'
import type { LocalRoot } from '../local-root.ts'
import type { ObjectPath } from '../object-path.ts'
import { attributesBytes } from './attribute-cache.ts'
import { identityOf, isUntouched } from './file-identity.ts'
import type { ClosedFile, ObjectFile } from './object-files.ts'
import { LocalObjectReader } from './object-reader.ts'
import { type HeldFile, HeldFiles } from './open-file-cache.ts'
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
 * by its path without checking the folders in it, read, and must then have the identity and the change time of
 * the file that was found when they were checked. Identities are never reused (file-identity.ts), so it is the
 * same file with the same bytes, however the path was resolved. In the same way the metadata of each takes one
 * call, and so do bytes that are kept in memory.
 *
 * A large object that was opened before stays open while it is read (held-files.ts): a range takes three
 * system calls.
 */
export class SeenFileCache {
  readonly #root: LocalRoot
  readonly #seen = new SizedCache<SeenFile>(maxSeen)
  readonly #held = new HeldFiles()
  readonly #contents: KeptContents
  /** Of objects that were opened before: their small contents, and their files that stay open. */
  readonly counts = {
    contents: { hits: 0, misses: 0 },
    files: { hits: 0, misses: 0 },
  }

  constructor(root: LocalRoot) {
    this.#root = root
    this.#contents = new KeptContents(root.clock)
  }

  /** Adds a file that was opened as the object at this path. */
  add(objectPath: ObjectPath, { path, stats }: ClosedFile, metadata: ObjectMetadata): void {
    if (metadata.attributes.isProvisional) return
    if (attributesBytes(metadata.attributes) > maxAttributesBytes) return
    // A file at the alternative path is the object only while there is none at the natural one.
    if (path !== `${this.#root.path}/${objectPath.path}`) return
    // A file on another file system may have the same identity.
    if (stats.dev !== this.#root.own.device) return
    this.#seen.set(nameOf(objectPath), { path, stats, metadata })
  }

  /**
   * A reader of a file that was opened as the object at this path, which is kept open if it is large and
   * was seen before.
   */
  reader(objectPath: ObjectPath, file: ObjectFile, metadata: ObjectMetadata): LocalObjectReader {
    const name = nameOf(objectPath)
    const before = this.#seen.peek(name)
    this.add(objectPath, file, metadata)
    const seen = this.#seen.peek(name)
    // A held file is used by synchronous calls only.
    const isHot =
      before !== undefined &&
      !this.#root.files.mayHang &&
      isUntouched(file.stats, before.stats, this.#root.hasBirthtime)
    if (!isHot || seen?.stats !== file.stats || file.size <= smallBytes) {
      return new LocalObjectReader(this.#root, file, metadata)
    }
    const { fd, path, stats } = file
    return this.#readerOf(this.#held.hold(name, { fd, path, stats, metadata }))
  }

  /** Closes the object's file, if it is kept open, so that deleting it frees its space. */
  release(bucket: string, key: string): void {
    this.#held.drop(`${bucket}/${key}`)
  }

  close(): void {
    this.#held.close()
  }

  /** The object's metadata; undefined when it must be looked up. */
  head(bucket: string, key: string): ObjectMetadata | undefined {
    const name = `${bucket}/${key}`
    const seen = this.#seen.get(name)
    if (seen === undefined) return undefined
    const isSame = this.#root.files.readsNow(() => isUnchanged(seen, this.#root.hasBirthtime))
    if (isSame === false) this.#forget(name)
    return isSame === true ? seen.metadata : undefined
  }

  /** The object, small with its bytes or kept open; undefined when it must be looked up. */
  open(bucket: string, key: string): OpenObject | undefined {
    const name = `${bucket}/${key}`
    const seen = this.#seen.get(name)
    if (seen === undefined) return undefined
    return seen.metadata.size > smallBytes ? this.#openHeld(name) : this.#read(name, seen)
  }

  #read(name: string, seen: SeenFile): CachedObject | undefined {
    const kept = this.#contents.get(name, seen)
    const outcome = this.#root.files.readsNow(() => this.#readUnchanged(seen, kept))
    if (outcome === 'changed') this.#forget(name)
    const isHit = outcome !== undefined && outcome === kept
    this.counts.contents[isHit ? 'hits' : 'misses'] += 1
    if (typeof outcome !== 'object') return undefined
    if (!isHit) this.#contents.add(name, seen, outcome)
    return new CachedObject(seen.metadata, outcome)
  }

  #readUnchanged(seen: SeenFile, kept: Buffer | undefined): Buffer | 'changed' {
    const { hasBirthtime } = this.#root
    if (kept === undefined) return readUnchanged(seen, hasBirthtime)
    return isUnchanged(seen, hasBirthtime) ? kept : 'changed'
  }

  #openHeld(name: string): LocalObjectReader | undefined {
    const held = this.#held.use(name)
    if (held === undefined) {
      this.counts.files.misses += 1
      return undefined
    }
    // The change time also tells whether the file has become unreadable.
    const isSame = this.#root.files.readsNow(() => isUnchanged(held, this.#root.hasBirthtime))
    this.counts.files[isSame === true ? 'hits' : 'misses'] += 1
    if (isSame === true) return this.#readerOf(held)
    held.release()
    if (isSame === false) this.#forget(name)
    return undefined
  }

  #readerOf(held: HeldFile): LocalObjectReader {
    const { fd, path, stats, metadata } = held
    const { size, modifiedAtMs } = metadata
    const identity = identityOf(stats, this.#root.hasBirthtime)
    const file = { fd, path, stats, identity, size, modifiedAtMs }
    return new LocalObjectReader(this.#root, file, metadata, () => held.release())
  }

  #forget(name: string): void {
    this.#seen.delete(name)
    this.#held.drop(name)
    this.#contents.delete(name)
  }
}

function nameOf({ bucket, key }: ObjectPath): string {
  return `${bucket}/${key}`
}

function isUnchanged(
  { path, stats }: Pick<SeenFile, 'path' | 'stats'>,
  hasBirthtime: boolean,
): boolean {
  const now = statusOf(path)
  return now !== undefined && isUntouched(now, stats, hasBirthtime)
}

function statusOf(path: string): Stats | undefined {
  try {
    return fs.lstatSync(path, { throwIfNoEntry: false })
  } catch {
    // Looking up the object fails in the same way, and reports the error.
    return undefined
  }
}

/** Opening anything but a device is harmless, and only root can create a device there. */
function readUnchanged({ path, stats }: SeenFile, hasBirthtime: boolean): Buffer | 'changed' {
  try {
    const fd = fs.openSync(path, readFlags)
    try {
      const bytes = Buffer.allocUnsafeSlow(stats.size)
      const bytesRead = fs.readSync(fd, bytes, 0, bytes.length, 0)
      // Checked after the read: a file that is unchanged now was unchanged during the read.
      const now = fs.fstatSync(fd)
      const isSame = isUntouched(now, stats, hasBirthtime) && bytesRead === bytes.length
      return isSame ? bytes : 'changed'
    } finally {
      fs.closeSync(fd)
    }
  } catch {
    // Looking up the object fails in the same way, and reports the error.
    return 'changed'
  }
}

/** The limit for the contents of all files together. */
const limitBytes = 8 * 1024 * 1024
/** The approximate size of an entry without its bytes. */
const entryBytes = 500
/** Longer than a step of the clock of any file system (FAT: 2 s). */
const settledMs = 4_000
/**
 * A program that writes through a shared mapping changes a file's times with its first write, but not necessarily
 * with later ones (mmap(2), "Timestamps changes for file-backed mappings").
 */
const keptMs = 2_000

interface Kept {
  readonly of: object
  readonly bytes: Buffer
  readonly readAtMs: number
}

/** Bytes of small objects that are read often, for a short time. They count only while the file is the same. */
export class KeptContents {
  readonly #clock: Pick<FileClock, 'recentMs'>
  readonly #contents = new SizedCache<Kept>(limitBytes)

  constructor(clock: Pick<FileClock, 'recentMs'>) {
    this.#clock = clock
  }

  /** @param of what the bytes were kept for: others with the same name get nothing */
  get(name: string, of: object): Buffer | undefined {
    const kept = this.#contents.get(name)
    if (kept?.of !== of || performance.now() - kept.readAtMs > keptMs) return undefined
    return kept.bytes
  }

  /**
   * A file that changed just before it was read may change again within the same step of the clock, and
   * look the same. Its bytes are not kept.
   */
  add(name: string, of: { readonly stats: Stats }, bytes: Buffer): void {
    if (this.#clock.recentMs - of.stats.ctimeMs < settledMs) return
    const size = entryBytes + 2 * name.length + bytes.length
    this.#contents.set(name, { of, bytes, readAtMs: performance.now() }, size)
  }

  delete(name: string): void {
    this.#contents.delete(name)
  }
}
