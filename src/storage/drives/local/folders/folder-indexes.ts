import type { Stats } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { CallThread } from '../../../../platform/process/call-thread.ts'
import { SizedCache } from '../../../../platform/process/sized-cache.ts'
import { isAbsent } from '../fs-error.ts'
import { type LocalRoot, requireOwnFolder } from '../local-root.ts'
import { isVersionStore } from '../object-path.ts'
import { Pace } from '../objects/pace.ts'
import { FolderIndex } from './folder-index.ts'
import { OpenFolder } from './open-folder.ts'
import {
  type FolderContents,
  type FolderReadRequest,
  type FolderStamp,
  type InnerFolder,
  readInSteps,
} from './read-folder.ts'

/** The limit for all cached indexes together. A larger index is cached alone. */
const cacheLimitBytes = 96 * 1024 * 1024
/**
 * A folder that changed within this time before it was read may change again without getting a new time. Its index could
 * not be distinguished from an outdated one later (as in Git, "racy-git"). The kernel's file clock advances in steps of up
 * to 10 ms; some file systems store times in steps of one or two seconds.
 */
const fineClockMs = 50
const coarseClockMs = 2_500
/** How often to read a small folder that is changing at the moment (FolderReadRequest.times). */
const busyReadings = 3

/**
 * The maximum size of a small folder's table of names. Such a folder is read in about 10 ms, less than a thread takes to
 * start, and its names are sorted in about 4 ms.
 */
const smallFolderBytes = 512 * 1024
/**
 * The maximum number of entries of a small folder. Not every file system reports a folder's size in bytes (ZFS counts
 * entries, FUSE often reports 4,096), and the size does not include inner folders of cut names.
 */
const smallFolderEntries = 15_000

/**
 * A step that takes longer is slow. On slow machines and busy cores, steps from memory take up to 5 ms, and a thread that
 * reads the folder from its beginning takes 40 ms of CPU time to start.
 */
const slowStepMs = 10

/** Small, because an entry is garbage as soon as its name is packed. */
const maxYoungGenerationSizeMb = 2

interface Cached {
  readonly index: FolderIndex
  readonly stamp: FolderStamp
  readonly inner: readonly InnerFolder[]
}

interface GetOptions {
  /** Whether it is read in any case: a network file system may report an old status for some seconds. */
  readonly isRead?: boolean
  /** Whether files in it are never renamed. */
  readonly isConstant?: boolean
}

interface Build {
  readonly startedAt: number
  readonly done: Promise<Cached | undefined>
}

/**
 * Sorted indexes of folders, as of the moment of the call. A cached index is used only if the folder's status proves that
 * it did not change since: then a page of a listing reads the status of the folder instead of all names in it.
 */
export class FolderIndexes {
  readonly #root: LocalRoot
  /** For small folders, which are read in steps in this thread. Large ones are read in another thread. */
  readonly #pace: Pace
  readonly #thread = new CallThread<FolderReadRequest, FolderContents>(
    new URL('./read-folder-thread.ts', import.meta.url),
    { resourceLimits: { maxYoungGenerationSizeMb } },
  )
  /** By path below the root. */
  readonly #cache = new SizedCache<Cached>(cacheLimitBytes)
  readonly #builds = new Map<string, Build>()
  #clock = 0
  /** When the last step that waits has its turn. */
  #lastTurn = Promise.resolve()

  constructor(root: LocalRoot) {
    this.#root = root
    this.#pace = new Pace(root.files.mayHang, { slowMs: slowStepMs })
  }

  /** Folders that a thread has not read yet. */
  get pending(): number {
    return this.#thread.pending
  }

  /** Undefined if it is not a folder, or is reached through a symbolic link. */
  async get(path: string, { isRead, isConstant }: GetOptions = {}) {
    const askedAt = ++this.#clock
    for (;;) {
      const cached = isRead ? undefined : this.#cache.get(path)
      if (cached !== undefined && (await this.#isCurrent(path, cached))) return cached.index
      const build = this.#builds.get(path) ?? this.#build(path, isConstant ? 1 : busyReadings)
      const built = await build.done
      // A build that started before this call may lack what was written since.
      if (build.startedAt > askedAt) return built?.index
    }
  }

  async close(): Promise<void> {
    this.#cache.clear()
    await this.#thread.close()
  }

  async #isCurrent(path: string, cached: Cached): Promise<boolean> {
    const base = `${this.#root.path}/${path}`
    const stats = await this.#root.files.lstat(base)
    if (!stats?.isDirectory() || !isSame(stats, cached.stamp)) return false
    for (const { path: below, stamp } of cached.inner) {
      const inner = await this.#root.files.lstat(`${base}/${below}`)
      if (!inner?.isDirectory() || !isSame(inner, stamp)) return false
    }
    return true
  }

  /** @param readings of a small folder that is changing at the moment */
  #build(path: string, readings: number): Build {
    const done = this.#readAndKeep(path, readings).finally(() => this.#builds.delete(path))
    const build = { startedAt: ++this.#clock, done }
    this.#builds.set(path, build)
    return build
  }

  async #readAndKeep(path: string, readings: number): Promise<Cached | undefined> {
    const folder = await OpenFolder.open(this.#root, path)
    if (folder === undefined) {
      this.#cache.delete(path)
      return undefined
    }
    try {
      const startedAtMs = await this.#root.clock.nowMs()
      // The folder may belong to another drive that is mounted at the path of this one.
      await requireOwnFolder(this.#root)
      let built = await this.#read(folder, startedAtMs, readings)
      const isStill = built !== undefined && isSame(await folder.stats(), built.stamp)
      if (!isStill) built = await this.#read(folder, startedAtMs, readings)
      this.#cache.delete(path)
      if (isStill && built !== undefined && isProof(built, startedAtMs)) {
        this.#cache.set(path, built, built.index.sizeBytes + path.length)
      }
      return built
    } finally {
      await folder.close()
    }
  }

  async #read(
    folder: OpenFolder,
    startedAtMs: number,
    readings: number,
  ): Promise<Cached | undefined> {
    const { ino, mtimeMs, ctimeMs, size } = await folder.stats()
    const stamp = { ino, mtimeMs, ctimeMs }
    const isSmall = size <= smallFolderBytes
    const isBusy = isSmall && !isStable(stamp, startedAtMs)
    const request = {
      path: folder.ownPath,
      descriptors: this.#root.descriptors,
      isStore: isVersionStore(folder.path.slice(this.#root.path.length + 1)),
      times: isBusy ? readings : 1,
    }
    try {
      const read = isSmall ? await this.#readInSteps(request) : undefined
      const { names, inner } = read ?? (await this.#thread.call(request))
      return { index: new FolderIndex(names), stamp, inner }
    } catch (error) {
      if (isAbsent(error)) return undefined
      throw error
    }
  }

  /** Other requests run between the steps, also while many folders are read. Undefined if the drive is slow or the folder is large. */
  async #readInSteps(request: FolderReadRequest): Promise<FolderContents | undefined> {
    const steps = readInSteps(request, smallFolderEntries)
    try {
      for (;;) {
        const step = this.#pace.tryNow(() => steps.next())
        if (step === undefined) return undefined
        if (step.done) return step.value
        await this.#ownTurn()
      }
    } finally {
      steps.return(undefined)
    }
  }

  /** A turn of the event loop without a step of another folder that has waited. */
  #ownTurn(): Promise<void> {
    this.#lastTurn = this.#lastTurn.then(() => nextTurn())
    return this.#lastTurn
  }
}

function isSame(stats: Stats, stamp: FolderStamp): boolean {
  return (
    stats.mtimeMs === stamp.mtimeMs && stats.ctimeMs === stamp.ctimeMs && stats.ino === stamp.ino
  )
}

/** Whether the folders' times will later show if they changed after this reading. */
function isProof({ stamp, inner }: Cached, startedAtMs: number): boolean {
  return [stamp, ...inner.map((folder) => folder.stamp)].every((one) => isStable(one, startedAtMs))
}

/** Whether the folder's last change is so old that the next change will have another time. */
function isStable({ mtimeMs, ctimeMs }: FolderStamp, nowMs: number): boolean {
  const isCoarse = Number.isInteger(mtimeMs / 1000) && Number.isInteger(ctimeMs / 1000)
  return nowMs - Math.max(mtimeMs, ctimeMs) > (isCoarse ? coarseClockMs : fineClockMs)
}
