import type { Log } from '../../../../platform/process/log.ts'
import { SizedCache } from '../../../../platform/process/sized-cache.ts'
import { TimeLimitError, withinTime } from '../../../../platform/process/time-limit.ts'
import type { Attributes } from '../../attributes.ts'
import { DriveError } from '../../drive-error.ts'
import { withDatabaseErrors } from '../../kit/drive-database.ts'
import {
  parseAttributes,
  provisionalAttributes,
  provisionalEtag,
} from '../../kit/stored-attributes.ts'
import { type ListedAttributes, listedAttributes } from '../../listed-entry.ts'
import type { FileIdentity, FileStamp } from './file-identity.ts'
import type { FileRecords, SaveOptions } from './file-record-table.ts'

/** A file's stamp with its path: its attributes depend on both. */
export interface StampedFile extends FileStamp {
  /** Its natural path below the root, regardless of its actual path. */
  readonly path: string
}

/** The limit for the attributes of all files together. */
const cacheLimitBytes = 8 * 1024 * 1024
/** The approximate size of an entry without its text, with what protocols add to the attributes. */
const entryBytes = 1_500
/** ETags in memory for listings: some 2 MiB. */
const maxListed = 8_192
/** A read that accepts provisional attributes waits at most this long for the database. */
const recordWaitMs = 3_000
/** While the database does not respond, one read in this time asks it, and the others do not wait. */
const askAgainMs = 1_000

/**
 * Attributes of files: a read of a cached file takes no statement to the database. Records never change
 * (file-record-table.ts), so they are cached without expiry. A file without a record was added by hand, or copied from
 * another disk.
 */
export class AttributeCache {
  readonly #records: FileRecords
  readonly #log: Pick<Log, 'warn'>
  /** Counts of `of`, without listings. */
  readonly counts = { hits: 0, misses: 0 }
  readonly #cache = new SizedCache<Attributes>(cacheLimitBytes)
  readonly #listed = new SizedCache<ListedAttributes>(maxListed)
  readonly #now: () => number
  #isAway = false
  #askAgainAtMs = 0
  #answeredAtMs = Number.NEGATIVE_INFINITY

  /** @param now monotonic, milliseconds */
  constructor(records: FileRecords, log: Pick<Log, 'warn'>, now = () => performance.now()) {
    this.#records = withDatabaseErrors(records, 'the metadata of files')
    this.#log = log
    this.#now = now
  }

  async of(file: StampedFile): Promise<Attributes> {
    return this.#cached(file) ?? (await this.#load(file))
  }

  /** As `of`, but while the database does not respond, returns provisional attributes, which are not cached. */
  async ofOrProvisional(file: StampedFile): Promise<Attributes> {
    const cached = this.#cached(file)
    if (cached !== undefined) return cached
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      if (this.#isAway && this.#now() < this.#askAgainAtMs) break
      const askedAtMs = this.#now()
      this.#askAgainAtMs = askedAtMs + askAgainMs
      try {
        const attributes = await withinTime(this.#load(file), recordWaitMs)
        this.#answeredAtMs = this.#now()
        this.#isAway = false
        return attributes
      } catch (error) {
        if (!isAbsence(error)) throw error
        // If the database has answered another read meanwhile, this read was only lost with its connection.
        if (this.#answeredAtMs <= askedAtMs) this.#noteAbsence(error)
      }
    }
    return { ...provisionalAttributes(file.path, file.identity), isProvisional: true }
  }

  #noteAbsence(error: unknown): void {
    this.#askAgainAtMs = this.#now() + askAgainMs
    if (this.#isAway) return
    this.#isAway = true
    this.#log.warn(
      { err: error },
      'the database does not respond: objects are read without their attributes',
    )
  }

  #cached(file: StampedFile): Attributes | undefined {
    const cached = this.#cache.get(file.identity) ?? this.#cache.get(provisionalKey(file))
    if (cached !== undefined) this.counts.hits += 1
    return cached
  }

  async #load(file: StampedFile): Promise<Attributes> {
    this.counts.misses += 1
    const json = await this.#records.find(file.identity)
    const attributes = parseAttributes(json)
    if (attributes !== undefined) return this.#keep(file.identity, attributes)
    const adopted = (await this.#findByPath([file])).get(file.path)
    if (adopted === undefined) {
      return this.#keep(provisionalKey(file), provisionalAttributes(file.path, file.identity))
    }
    this.#adopt(file, adopted)
    return this.#keep(file.identity, adopted)
  }

  /** The attributes of at most 1,000 files, in their order, for a listing. Does not evict cached attributes. */
  async listedOf(files: readonly StampedFile[]): Promise<ListedAttributes[]> {
    const keys = files.map(provisionalKey)
    const listed = files.map(
      (file, index) => this.#cache.peek(file.identity) ?? this.#listed.get(keys[index] ?? ''),
    )
    const unknown = files.filter((_, index) => listed[index] === undefined)
    if (unknown.length === 0) return listed as ListedAttributes[]
    const found = await this.#records.findMany(unknown.map((file) => file.identity))
    const strangers = unknown.filter((file) => !found.has(file.identity))
    const moved = await this.#findMoved(strangers)
    return files.map((file, index) => {
      const known = listed[index]
      if (known !== undefined) return known
      const recorded = parseAttributes(found.get(file.identity)) ?? moved.get(file.identity)
      const read = listedAttributes(recorded ?? { etag: provisionalEtag(file.identity) })
      this.#listed.set(keys[index] ?? '', read)
      return read
    })
  }

  /** Durable when resolved, or when `flush` is if it is relaxed. Call it before the file is visible. */
  async save(
    file: StampedFile,
    attributes: Attributes,
    ownFolders: readonly string[],
    options: SaveOptions = {},
  ): Promise<void> {
    await this.#records.save({ ...file, json: JSON.stringify(attributes) }, ownFolders, options)
    this.#keep(file.identity, attributes)
  }

  /** Makes all saved records durable. */
  async flush(): Promise<void> {
    await this.#records.flush()
  }

  /** What was stored for this identity, regardless of the path of its file. */
  async recorded(identity: FileIdentity): Promise<Attributes | undefined> {
    return parseAttributes(await this.#records.find(identity))
  }

  /** A thread has saved the attributes of a new file, in this time. */
  saved(identity: FileIdentity, attributes: Attributes, durationMs: number): void {
    this.#records.saved(identity, durationMs)
    this.#keep(identity, attributes)
  }

  /** Stores what only the paths of files tell about them, of at most 1,000 files, before they get other paths. */
  async adoptAll(files: readonly StampedFile[]): Promise<void> {
    const known = await this.#records.findMany(files.map(({ identity }) => identity))
    const strangers = files.filter(({ identity }) => !known.has(identity))
    const moved = await this.#findMoved(strangers)
    for (const file of strangers) {
      const attributes = moved.get(file.identity)
      if (attributes !== undefined) await this.save(file, attributes, [])
    }
  }

  /** At most 1,000 files have got these paths. */
  async moved(files: readonly StampedFile[]): Promise<void> {
    await this.#records.moved(files)
  }

  /** Stores folders as created by the drive. */
  async saveFolders(identities: readonly string[]): Promise<void> {
    if (identities.length > 0) await this.#records.saveFolders(identities)
  }

  /** The file was deleted, and its identity is never reused. */
  forget(identity: FileIdentity): void {
    this.#records.forget(identity)
  }

  isOwnFolder(identity: string): Promise<boolean> {
    return this.#records.isOwnFolder(identity)
  }

  forgetFolder(identity: string): void {
    this.#records.forgetFolder(identity)
  }

  /** By identity. Several versions of an object have the same path, and one look-up finds one of them. */
  async #findMoved(strangers: readonly StampedFile[]): Promise<ReadonlyMap<string, Attributes>> {
    const moved = new Map<string, Attributes>()
    let left = [...strangers]
    while (left.length > 0) {
      const byPath = new Map(left.map((file) => [file.path, file]))
      const found = await this.#findByPath([...byPath.values()])
      for (const { path, identity } of byPath.values()) {
        const attributes = found.get(path)
        if (attributes !== undefined) moved.set(identity, attributes)
      }
      left = left.filter((file) => byPath.get(file.path) !== file)
    }
    return moved
  }

  async #findByPath(files: readonly StampedFile[]): Promise<ReadonlyMap<string, Attributes>> {
    const found = await this.#records.findByPaths(files)
    const attributes = new Map<string, Attributes>()
    for (const [path, json] of found) {
      const parsed = parseAttributes(json)
      if (parsed !== undefined) attributes.set(path, parsed)
    }
    return attributes
  }

  /** Stores the attributes for the file's identity, so that it keeps them when it is renamed. May fail without harm. */
  #adopt(file: StampedFile, attributes: Attributes): void {
    this.save(file, attributes, []).catch((error: unknown) => {
      this.#log.warn({ err: error, path: file.path }, 'could not adopt a file')
    })
  }

  #keep(key: string, attributes: Attributes): Attributes {
    this.#cache.set(key, attributes, entryBytes + 2 * key.length + attributesBytes(attributes))
    return attributes
  }
}

function isAbsence(error: unknown): boolean {
  if (error instanceof TimeLimitError) return true
  return error instanceof DriveError && error.kind === 'unavailable'
}

/** Contains the path, because the guessed content type depends on it. */
function provisionalKey(file: StampedFile): string {
  return `${file.identity} ${file.path}`
}

/** The approximate size of attributes in memory, without the cost of JSON. */
export function attributesBytes(attributes: Attributes): number {
  const { headers, metadata, tags = {}, partSizes = [], partChecksums = [] } = attributes
  let units = 100 + 16 * partSizes.length
  for (const digest of partChecksums) units += 16 + digest.length
  for (const texts of [headers, metadata, tags]) {
    for (const [name, value] of Object.entries(texts)) units += name.length + (value?.length ?? 0)
  }
  return 2 * units
}
