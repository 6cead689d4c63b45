import fs, { type Stats } from 'node:fs'
import { SizedCache } from '../../../../platform/process/sized-cache.ts'
import type { ObjectMetadata, OpenObject } from '../../drive.ts'
import { CachedObject } from '../../kit/open-objects.ts'
import type { Versioning } from '../../versions.ts'
import type { FileClock } from '../file-clock.ts'
import type { LocalRoot } from '../local-root.ts'
import type { ObjectPath } from '../object-path.ts'
import type { OpenDrive } from '../open-drive.ts'
import { withVersionId } from '../versions/counted-versions.ts'
import { attributesBytes } from './attribute-cache.ts'
import { identityOf, isUntouched } from './file-identity.ts'
import type { ClosedFile, ObjectFile } from './object-files.ts'
import { LocalObjectReader } from './object-reader.ts'
import { OpenFileCache, type SharedFile } from './open-file-cache.ts'
import { readFlags } from './paced-files.ts'

/** A file that was once opened as an object, with all folders on its path checked. */
interface CheckedFile {
  readonly path: string
  readonly stats: Stats
  /** With the version ID of the object while its bucket has `versioning`: writing the ID again would take 1 µs of each GET. */
  metadata: ObjectMetadata
  versioning: Versioning | undefined
}

type VersionedBuckets = Pick<OpenDrive, 'versioningOf'>

/** The name is that in the caches. */
interface NamedObject {
  readonly bucket: string
  readonly name: string
}

/** Larger objects are read in chunks. */
const smallBytes = 64 * 1024

/** The maximum number of checked files, and of bytes of the attributes of one: some 30 MB at worst. */
const maxChecked = 8192
const maxAttributesBytes = 2 * 1024

/**
 * What this process knows of objects that it has opened before. A cached file is used only if its path still has a file
 * with the same identity and change time. Identities are never reused (file-identity.ts), so that is the same file with
 * the same bytes, however the path was resolved. Three caches, which test/service/budget.test.ts counts:
 *
 * - checked files (status and metadata): a HEAD takes one system call on files, and a GET of a small object four instead
 *   of seven, because the folders on its path are not checked again;
 * - contents of small objects: a GET takes one call;
 * - open files of large objects (open-file-cache.ts): a range takes three calls instead of seven.
 */
export class ObjectCache {
  readonly #root: LocalRoot
  readonly #versions: VersionedBuckets
  /** By bucket and key, as the other two. */
  readonly #checked = new SizedCache<CheckedFile>(maxChecked)
  readonly #openFiles = new OpenFileCache()
  readonly #contents: ContentCache
  /** Lookups of objects that were opened before: of small contents, and of files that stay open. */
  readonly counts = {
    contents: { hits: 0, misses: 0 },
    files: { hits: 0, misses: 0 },
  }

  constructor(root: LocalRoot, versions: VersionedBuckets) {
    this.#root = root
    this.#versions = versions
    this.#contents = new ContentCache(root.clock)
  }

  /** Adds a file that was opened as the object at this path. */
  add(objectPath: ObjectPath, { path, stats }: ClosedFile, metadata: ObjectMetadata): void {
    if (metadata.attributes.isProvisional) return
    if (attributesBytes(metadata.attributes) > maxAttributesBytes) return
    // A file at the alternative path is the object only while there is none at the natural one.
    if (path !== `${this.#root.path}/${objectPath.path}`) return
    // A file on another file system may have the same identity.
    if (stats.dev !== this.#root.own.device) return
    const versioning = this.#versions.versioningOf(objectPath.bucket)
    const named = withVersionId(versioning, metadata)
    this.#checked.set(nameOf(objectPath), { path, stats, metadata: named, versioning })
  }

  /** A reader of a file that was opened as the object at this path. A large file that was opened before stays open. */
  reader(objectPath: ObjectPath, file: ObjectFile, metadata: ObjectMetadata): LocalObjectReader {
    const name = nameOf(objectPath)
    const before = this.#checked.peek(name)
    this.add(objectPath, file, metadata)
    const checked = this.#checked.peek(name)
    // A file that stays open is used by synchronous calls only.
    const isHot =
      before !== undefined &&
      !this.#root.files.mayHang &&
      isUntouched(file.stats, before.stats, this.#root.hasBirthtime)
    if (!isHot || checked?.stats !== file.stats || file.size <= smallBytes) {
      return new LocalObjectReader(this.#root, file, metadata)
    }
    const { fd, path, stats } = file
    return this.#readerOf(objectPath, this.#openFiles.add(name, { fd, path, stats, metadata }))
  }

  /** Closes the object's file if it stays open, so that removing the object frees its space. */
  release(bucket: string, key: string): void {
    this.#openFiles.drop(`${bucket}/${key}`)
  }

  close(): void {
    this.#openFiles.close()
  }

  /** The object's metadata; undefined if it must be looked up. */
  head(bucket: string, key: string): ObjectMetadata | undefined {
    const name = `${bucket}/${key}`
    const checked = this.#checked.get(name)
    if (checked === undefined) return undefined
    const isSame = this.#root.files.readsNow(() => isUnchanged(checked, this.#root.hasBirthtime))
    if (isSame === false) this.#forget(name)
    return isSame === true ? this.#metadataOf(bucket, checked) : undefined
  }

  #metadataOf(bucket: string, checked: CheckedFile): ObjectMetadata {
    const versioning = this.#versions.versioningOf(bucket)
    if (versioning !== checked.versioning) {
      checked.metadata = withVersionId(versioning, checked.metadata)
      checked.versioning = versioning
    }
    return checked.metadata
  }

  /** A small object with its bytes, or a large one whose file stays open; undefined if it must be looked up. */
  open(bucket: string, key: string): OpenObject | undefined {
    const name = `${bucket}/${key}`
    const checked = this.#checked.get(name)
    if (checked === undefined) return undefined
    const named = { bucket, name }
    return checked.metadata.size > smallBytes ? this.#openShared(named) : this.#read(named, checked)
  }

  #read({ bucket, name }: NamedObject, checked: CheckedFile): CachedObject | undefined {
    const content = this.#contents.get(name, checked)
    const outcome = this.#root.files.readsNow(() => this.#readUnchanged(checked, content))
    if (outcome === 'changed') this.#forget(name)
    const isHit = outcome !== undefined && outcome === content
    this.counts.contents[isHit ? 'hits' : 'misses'] += 1
    if (typeof outcome !== 'object') return undefined
    if (!isHit) this.#contents.add(name, checked, outcome)
    return new CachedObject(this.#metadataOf(bucket, checked), outcome)
  }

  #readUnchanged(checked: CheckedFile, content: Buffer | undefined): Buffer | 'changed' {
    const { hasBirthtime } = this.#root
    if (content === undefined) return readUnchanged(checked, hasBirthtime)
    return isUnchanged(checked, hasBirthtime) ? content : 'changed'
  }

  #openShared(named: NamedObject): LocalObjectReader | undefined {
    const { name } = named
    const shared = this.#openFiles.use(name)
    if (shared === undefined) {
      this.counts.files.misses += 1
      return undefined
    }
    // The change time also tells whether the file has become unreadable.
    const isSame = this.#root.files.readsNow(() => isUnchanged(shared, this.#root.hasBirthtime))
    this.counts.files[isSame === true ? 'hits' : 'misses'] += 1
    if (isSame === true) return this.#readerOf(named, shared)
    shared.release()
    if (isSame === false) this.#forget(name)
    return undefined
  }

  #readerOf(named: Pick<NamedObject, 'bucket'>, shared: SharedFile): LocalObjectReader {
    const { fd, path, stats } = shared
    const metadata = withVersionId(this.#versions.versioningOf(named.bucket), shared.metadata)
    const { size, modifiedAtMs } = metadata
    const identity = identityOf(stats, this.#root.hasBirthtime)
    const file = { fd, path, stats, identity, size, modifiedAtMs }
    return new LocalObjectReader(this.#root, file, metadata, () => shared.release())
  }

  #forget(name: string): void {
    this.#checked.delete(name)
    this.#openFiles.drop(name)
    this.#contents.delete(name)
  }
}

function nameOf({ bucket, key }: ObjectPath): string {
  return `${bucket}/${key}`
}

function isUnchanged(
  { path, stats }: Pick<CheckedFile, 'path' | 'stats'>,
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
function readUnchanged({ path, stats }: CheckedFile, hasBirthtime: boolean): Buffer | 'changed' {
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
 * How long bytes are used after they were read. A program that writes through a shared mapping changes a file's times
 * with its first write, but not necessarily with later ones (mmap(2), "Timestamps changes for file-backed mappings").
 */
const usableMs = 2_000

interface CachedContent {
  readonly of: object
  readonly bytes: Buffer
  readonly readAtMs: number
}

/** Contents of small objects, for two seconds: a GET of such an object then takes one system call on files. */
export class ContentCache {
  readonly #clock: Pick<FileClock, 'recentMs'>
  readonly #contents = new SizedCache<CachedContent>(limitBytes)

  constructor(clock: Pick<FileClock, 'recentMs'>) {
    this.#clock = clock
  }

  /** @param of the file that the bytes were added for: another one with the same name gets nothing */
  get(name: string, of: object): Buffer | undefined {
    const content = this.#contents.get(name)
    if (content?.of !== of || performance.now() - content.readAtMs > usableMs) return undefined
    return content.bytes
  }

  /** Ignores a file that changed just before it was read: it may change again within the same step of the clock. */
  add(name: string, of: { readonly stats: Stats }, bytes: Buffer): void {
    if (this.#clock.recentMs - of.stats.ctimeMs < settledMs) return
    const size = entryBytes + 2 * name.length + bytes.length
    this.#contents.set(name, { of, bytes, readAtMs: performance.now() }, size)
  }

  delete(name: string): void {
    this.#contents.delete(name)
  }
}
