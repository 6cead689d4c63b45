import fs, { type Stats } from 'node:fs'
import type { ObjectMetadata } from '../../drive.ts'

/** Descriptors that a process keeps at most. They fit into those reserved for files of its own. */
const maxHeld = 32
const lookEveryMs = 1_000
/** A file that was not read for this long is closed. */
const idleMs = 2_000

/** An open file that several readers use at one time. */
export interface HeldFile {
  readonly fd: number
  readonly path: string
  readonly stats: Stats
  /** Of this file: it must not be combined with that of a later or earlier one. */
  readonly metadata: ObjectMetadata
  /** Ends one use. The file is closed when it is no longer held and nothing uses it. */
  release(): void
}

interface Held extends HeldFile {
  users: number
  isHeld: boolean
  usedAtMs: number
}

/**
 * Keeps the files of large objects open that are read in many ranges: opening, checking and closing one
 * costs more than reading 64 KiB. Whoever uses a file must check that the path still has the same one.
 * A deleted file takes up space until it is closed, so every file is looked at once a second.
 */
export class HeldFiles {
  readonly #held = new Map<string, Held>()
  #timer: NodeJS.Timeout | undefined

  /** Takes over an open file, for the caller as its first user. */
  hold(name: string, file: Omit<HeldFile, 'release'>): HeldFile {
    this.drop(name)
    const held: Held = {
      ...file,
      users: 1,
      isHeld: true,
      usedAtMs: performance.now(),
      release: () => {
        held.users -= 1
        closeIfUnused(held)
      },
    }
    this.#held.set(name, held)
    for (const oldest of this.#held.keys()) {
      if (this.#held.size <= maxHeld) break
      this.drop(oldest)
    }
    this.#timer ??= setInterval(() => this.#look(), lookEveryMs).unref()
    return held
  }

  /** The file for one more user; undefined when it is not held. */
  use(name: string): HeldFile | undefined {
    const held = this.#held.get(name)
    if (held === undefined) return undefined
    held.users += 1
    held.usedAtMs = performance.now()
    return held
  }

  /** Closes the file once nothing uses it. */
  drop(name: string): void {
    const held = this.#held.get(name)
    if (held === undefined) return
    this.#held.delete(name)
    held.isHeld = false
    closeIfUnused(held)
    if (this.#held.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  close(): void {
    for (const name of [...this.#held.keys()]) this.drop(name)
  }

  #look(): void {
    const idleSinceMs = performance.now() - idleMs
    for (const [name, held] of [...this.#held]) {
      const isIdle = held.users === 0 && held.usedAtMs < idleSinceMs
      if (isIdle || isDeleted(held.fd)) this.drop(name)
    }
  }
}

function closeIfUnused({ fd, users, isHeld }: Held): void {
  // In the thread pool: closing the last descriptor of a deleted file frees its blocks.
  // A file that was only read has nothing to lose if that fails.
  if (users === 0 && !isHeld) fs.close(fd, () => undefined)
}

function isDeleted(fd: number): boolean {
  try {
    return fs.fstatSync(fd).nlink === 0
  } catch {
    // Its file system no longer answers for it.
    return true
  }
}
