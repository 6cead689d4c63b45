import type { Log } from '../../../../platform/process/log.ts'
import type { Attributes } from '../../attributes.ts'
import type { VersioningOf } from '../../versions.ts'
import { allDone } from '../file-calls.ts'
import { cannotLink } from '../fs-error.ts'
import type { LocalRoot } from '../local-root.ts'
import type { AttributeCache } from '../objects/attribute-cache.ts'
import { type FileIdentity, uniqueTimeMs } from '../objects/file-identity.ts'
import { syncFile, syncFileSystem } from './sync-file-system.ts'
import { keepReplaced, UnsyncedNote } from './unsynced-note.ts'

/** The pause between two rounds. A power failure loses what was written since the last complete one began. */
const pauseMs = 1_000
/** After a round that failed. Until one succeeds, every write is synced. */
const failedPauseMs = 10_000
/** With more than this unsynced, writes wait for a round: a slow disk must not fall behind. */
const maxWrites = 10_000
const maxBytes = 64 * 1024 * 1024
/** Larger objects are synced: that takes little compared with their transfer. */
const largestBytes = 8 * 1024 * 1024
/** After a power failure, the bytes of a relaxed write are compared with its ETag, so that has to be their MD5. */
const md5Pattern = /^[0-9a-f]{32}$/

/** A write or removal that is not synced before the reply. */
export interface RelaxedWrite {
  /** Where to link the file that the one with this identity replaces; undefined if that is not needed. */
  linkOf(identity: FileIdentity): string | undefined
  /** The folder of such links, for a file that has no identity yet. Their names are its `lastingPart`. */
  linkFolder(): string | undefined
  /** Call it before the file at `path` is replaced by the one at `by`, which has this identity. */
  keep(path: string, identity: FileIdentity, by: string): Promise<void>
  /** As AttributeCache.forget, but after the round: until then, a power failure may bring the file back. */
  forget(identity: FileIdentity): void
}

/** Runs the relaxed writes of a drive. */
export interface RelaxedDrive {
  /** Whether the next write of an object in this bucket may be relaxed. */
  accepts(bucket: string, size: number, attributes: Pick<Attributes, 'etag'>): boolean

  /**
   * Runs a write, or a removal of 0 bytes. It waits while too much is unsynced.
   *
   * @param work its parameter is undefined if the write must be synced
   */
  run<Result>(
    bytes: number,
    work: (write: RelaxedWrite | undefined) => Promise<Result>,
  ): Promise<Result>

  /** Resolves when everything that was written before the call is durable, or could not be made so. */
  sync(): Promise<void>

  /** Makes everything durable. */
  close(): Promise<void>
}

interface Unsynced {
  writes: number
  bytes: number
  /** Of files that were replaced or removed. */
  readonly gone: FileIdentity[]
}

/** A write that has not ended. */
interface RunningWrite {
  /** When it began, as a modification time. */
  readonly sinceMs: number
  /** The round in which it began: it may link a replaced file into the folder of this one or of a later one. */
  readonly round: number
}

interface RelaxedParts {
  readonly root: LocalRoot
  readonly attributeCache: AttributeCache
  readonly versioningOf: VersioningOf
  readonly log: Pick<Log, 'warn'>
}

/**
 * DURABILITY=relaxed: replies to writes come before their syncs. A second later, a round makes all of them durable with one
 * call. docs/paths/publishing-a-file.md, "Relaxed writes", says how a restart after a power failure finds what is torn.
 */
export class RelaxedWrites implements RelaxedDrive {
  readonly #parts: RelaxedParts
  readonly #note: UnsyncedNote
  readonly #running = new Set<RunningWrite>()
  #unsynced: Unsynced = { writes: 0, bytes: 0, gone: [] }
  /** Set while the note says that there are unsynced writes. */
  #marked: Promise<void> | undefined
  #round: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #isFailing = false

  constructor(parts: RelaxedParts) {
    this.#parts = parts
    this.#note = new UnsyncedNote(parts.root)
  }

  accepts(bucket: string, size: number, { etag }: Pick<Attributes, 'etag'>): boolean {
    const { versioningOf } = this.#parts
    if (this.#isFailing || size > largestBytes) return false
    return versioningOf(bucket) === undefined && md5Pattern.test(etag)
  }

  async run<Result>(
    bytes: number,
    work: (write: RelaxedWrite | undefined) => Promise<Result>,
  ): Promise<Result> {
    while (!this.#isFailing && this.#isFull) await this.sync()
    if (this.#isFailing) return await work(undefined)
    const running = { sinceMs: uniqueTimeMs(), round: this.#note.round }
    this.#running.add(running)
    const counted = this.#count(bytes)
    try {
      this.#marked ??= this.#mark(running.sinceMs)
      // On a full disk, removals have to work.
      const isMarked = await this.#marked.then(
        () => true,
        () => false,
      )
      return await work(isMarked ? this.#write : undefined)
    } finally {
      this.#running.delete(running)
      // The round that has begun meanwhile may have missed it.
      if (this.#unsynced !== counted) this.#count(bytes)
      this.#schedule(pauseMs)
    }
  }

  get #isFull(): boolean {
    return this.#unsynced.writes >= maxWrites || this.#unsynced.bytes >= maxBytes
  }

  #count(bytes: number): Unsynced {
    this.#unsynced.writes += 1
    this.#unsynced.bytes += bytes
    return this.#unsynced
  }

  readonly #write: RelaxedWrite = {
    linkOf: (identity) => this.#note.linkOf(identity),
    linkFolder: () => this.#note.linkFolder(),
    keep: async (path, identity, by) => {
      const { root, attributeCache } = this.#parts
      try {
        await keepReplaced(root, path, this.#note.linkOf(identity))
      } catch (error) {
        if (!cannotLink(error)) throw error
        // As a file of another user (proc(5), "protected_hardlinks").
        await allDone([syncFile(by), attributeCache.flush()])
      }
    },
    forget: (identity) => void this.#unsynced.gone.push(identity),
  }

  #mark(sinceMs: number): Promise<void> {
    const marked = this.#note.mark(sinceMs)
    marked.catch(() => {
      this.#marked = undefined
    })
    return marked
  }

  #schedule(ms: number): void {
    if (this.#timer !== undefined || this.#round !== undefined) return
    this.#timer = setTimeout(() => void this.#startRound(), ms).unref()
  }

  async sync(): Promise<void> {
    if (this.#round !== undefined) await this.#round
    if (this.#unsynced.writes > 0) await (this.#round ?? this.#startRound())
  }

  /** Never rejects. */
  #startRound(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#round = this.#runRound().finally(() => {
      this.#round = undefined
      if (this.#isFailing) this.#schedule(failedPauseMs)
      else if (this.#unsynced.writes > 0) this.#schedule(pauseMs)
    })
    return this.#round
  }

  async #runRound(): Promise<void> {
    const { root, attributeCache, log } = this.#parts
    const done = this.#unsynced
    this.#unsynced = { writes: 0, bytes: 0, gone: [] }
    // The record of a write that has begun may be saved after this round has made the records durable.
    const running = [...this.#running]
    const sinceMs = Math.min(uniqueTimeMs(), ...running.map((one) => one.sinceMs))
    const dropReplaced = this.#note.nextRound(Math.min(...running.map((one) => one.round)))
    try {
      await allDone([syncFileSystem(root.path || '/'), attributeCache.flush()])
      await this.#noteDone(sinceMs)
      await dropReplaced()
    } catch (error) {
      this.#unsynced.writes += done.writes
      this.#unsynced.bytes += done.bytes
      this.#unsynced.gone.push(...done.gone)
      if (!this.#isFailing) log.warn({ err: error }, 'could not sync the drive: writes are synced')
      this.#isFailing = true
      return
    }
    this.#isFailing = false
    for (const identity of done.gone) attributeCache.forget(identity)
  }

  async #noteDone(sinceMs: number): Promise<void> {
    if (this.#unsynced.writes > 0 || this.#running.size > 0) return await this.#note.move(sinceMs)
    // Otherwise, files that a person adds meanwhile would have to be checked as well.
    this.#marked = undefined
    await this.#note.move()
  }

  async close(): Promise<void> {
    await this.sync()
    clearTimeout(this.#timer)
    await this.#note.close(!this.#isFailing)
  }
}
