import fs, { type Stats } from 'node:fs'
import type { ObjectMetadata } from '../../drive.ts'

/** The maximum number of open files. Their descriptors are among those reserved for files of the drive. */
const maxOpen = 32
const lookEveryMs = 1_000
/** A file that was not read for this long is closed. */
const idleMs = 2_000

/** An open file that several readers use at the same time. */
export interface SharedFile {
  readonly fd: number
  readonly path: string
  readonly stats: Stats
  /** The metadata of this file. It must not be combined with a later or earlier file of the key. */
  readonly metadata: ObjectMetadata
  /** Ends one use. The file is closed when it has left the cache and nothing uses it. */
  release(): void
}

interface CachedFile extends SharedFile {
  users: number
  isCached: boolean
  usedAtMs: number
}

/**
 * Open files of large objects that are read in many ranges: opening, checking and closing a file costs more than reading
 * 64 KiB. A range takes three system calls instead of seven (docs/decisions/0021-files-that-stay-open.md). The user of a
 * file must check that its path still has the same file. A deleted file takes up space until it is closed, so every file
 * is checked once a second.
 */
export class OpenFileCache {
  readonly #files = new Map<string, CachedFile>()
  #timer: NodeJS.Timeout | undefined

  /** Adds an open file, which the caller uses first. */
  add(name: string, file: Omit<SharedFile, 'release'>): SharedFile {
    this.drop(name)
    const cached: CachedFile = {
      ...file,
      users: 1,
      isCached: true,
      usedAtMs: performance.now(),
      release: () => {
        cached.users -= 1
        closeIfUnused(cached)
      },
    }
    this.#files.set(name, cached)
    for (const oldest of this.#files.keys()) {
      if (this.#files.size <= maxOpen) break
      this.drop(oldest)
    }
    this.#timer ??= setInterval(() => this.#look(), lookEveryMs).unref()
    return cached
  }

  /** The file for one more user; undefined if it is not cached. */
  use(name: string): SharedFile | undefined {
    const cached = this.#files.get(name)
    if (cached === undefined) return undefined
    cached.users += 1
    cached.usedAtMs = performance.now()
    return cached
  }

  /** Closes the file once nothing uses it. */
  drop(name: string): void {
    const cached = this.#files.get(name)
    if (cached === undefined) return
    this.#files.delete(name)
    cached.isCached = false
    closeIfUnused(cached)
    if (this.#files.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  close(): void {
    for (const name of [...this.#files.keys()]) this.drop(name)
  }

  #look(): void {
    const idleSinceMs = performance.now() - idleMs
    for (const [name, cached] of [...this.#files]) {
      const isIdle = cached.users === 0 && cached.usedAtMs < idleSinceMs
      if (isIdle || isDeleted(cached.fd)) this.drop(name)
    }
  }
}

function closeIfUnused({ fd, users, isCached }: CachedFile): void {
  // In the thread pool: closing the last descriptor of a deleted file frees its blocks.
  // A file that was only read has nothing to lose if that fails.
  if (users === 0 && !isCached) fs.close(fd, () => undefined)
}

function isDeleted(fd: number): boolean {
  try {
    return fs.fstatSync(fd).nlink === 0
  } catch {
    // Its file system does not respond.
    return true
  }
}
