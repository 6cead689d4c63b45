import crypto from 'node:crypto'
import { basename } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { thisProcess } from '../../../../platform/process/identity.ts'
import { stopwatch } from '../../../../platform/process/time-limit.ts'
import { DriveError } from '../../drive-error.ts'
import { allDone, fs } from '../file-calls.ts'
import { cannotLink, codeOf, unlessAbsent } from '../fs-error.ts'
import {
  followOwnFolders,
  type LocalRoot,
  processFolderOf,
  remakeProcessFolder,
} from '../local-root.ts'
import { Fence, fenceOff, holderName, type OpenFence } from './fence.ts'
import { HolderWatch, readHolder, silentHolderMs } from './holder-watch.ts'

/** A living holder keeps a lock for microseconds. A stopped one must not block the others. */
const longestWaitMs = 20_000
/** Longer than `silentHolderMs`, so that a dead holder on another host is recognized first. */
const longestSilentWaitMs = 2 * silentHolderMs
const firstPauseMs = 1
const longestPauseMs = 50
/** A process that dies while it takes over a lock leaves a guard, which is taken over as well, and so on. */
const deepestTheft = 4
/** A lock is certainly held for this time after it was taken, because takeovers wait longer. */
export const certainMs = 5_000
/** Each attempt can fail because another process moves the folder of this one away. */
const prepareAttempts = 5
/** The lock of a key, without its guard. */
const lockPattern = /^[0-9a-f]{32}$/
/** How long to wait before the next attempt to remove a lock. */
const removeAgainMs = 100

/** The number of turns of this process that run for each lock, on all open drives. */
const turnsHere = new Map<string, number>()

export interface LockPaths {
  /** The lock: an existing file. */
  readonly path: string
  /** The file to link to `path`; undefined if the file system has no hard links. */
  readonly holder: string | undefined
  /** Opened before the lock is taken. */
  readonly fence: OpenFence
}

/** A lock that was taken. */
interface Held {
  /** How long it has been held, including the call that took it, whose reply may have arrived late. */
  readonly heldMs: () => number
  readonly fence: OpenFence
}

/** A turn of this process at a lock. */
interface Turn {
  /** The lock's name in the folder of locks. */
  readonly lock: string
  /** When it began to wait, `performance.now()`. */
  readonly sinceMs: number
}

/**
 * Locks between all processes that use the drive. A process that changes a key holds its lock only while
 * it checks and renames. A lock is an existing file: a hard link to a file with the holder's name (8 µs
 * to take and release; link(2) is atomic, also on NFS), or a separate file if the file system has no hard
 * links. The locks of dead processes are removed by the next process that needs them.
 *
 * A process on another host may only be suspended, and resume at any moment. So a takeover first makes its pending
 * renames fail (docs/decisions/0003-lock-files-for-keys.md).
 */
export class KeyLocks {
  readonly #root: LocalRoot
  /**
   * The path of the holder file from the root, resolved whenever a lock is taken: if the file is missing, the drive is no
   * longer at its path, or a takeover has moved the folder of this process.
   */
  readonly #namePath: string
  readonly #fence: Fence
  /** The last caller in this process's queue, by lock. */
  readonly #queues = new Map<string, Promise<void>>()
  #canLink = true
  #preparing: Promise<void> | undefined

  constructor(root: LocalRoot) {
    this.#root = root
    this.#fence = new Fence(root)
    const processName = encodeURIComponent(thisProcess)
    this.#namePath = `${root.ownPath}/tmp/${processName}/${holderName}`
  }

  /**
   * Writes the holder file, which contains this process's name and to which its locks are links, and creates a fence. Call
   * it once at the start: afterwards, taking a lock needs no space on the disk.
   */
  prepare(): Promise<void> {
    this.#preparing ??= this.#prepare().finally(() => {
      this.#preparing = undefined
    })
    return this.#preparing
  }

  async #prepare(): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#writeName()
      } catch (error) {
        // Another process has just moved the folder away, because it considered this one dead (`fenceOff`).
        if (codeOf(error) !== 'ENOENT' || attempt === prepareAttempts) throw error
      }
    }
  }

  async #writeName(): Promise<void> {
    await remakeProcessFolder(this.#root)
    // By rename, because no process may see a lock without its holder's name.
    const name = `${processFolderOf(this.#root)}/${holderName}`
    const temporary = `${name}-${crypto.randomUUID()}`
    try {
      await fs.promises.writeFile(temporary, thisProcess, { flag: 'wx' })
      await fs.promises.rename(temporary, name)
    } catch (error) {
      // Otherwise every request on a full disk would leave a file.
      await fs.promises.rm(temporary, { force: true })
      throw error
    }
    // The previous fence was in the folder that was moved away.
    await this.#fence.renew()
  }

  /**
   * Runs `work` with the lock of this name. `work` must make its changes through the fence, which existed before the
   * lock was taken.
   * @throws DriveError `busy` if a living process does not release it; the errors of `work`
   */
  hold<Result>(name: string, work: (fence: OpenFence) => Promise<Result>): Promise<Result> {
    return this.#hold(crypto.hash('md5', name), work)
  }

  #hold<Result>(lock: string, work: (fence: OpenFence) => Promise<Result>): Promise<Result> {
    return this.#queued(lock, async (turn) => {
      const { heldMs, fence } = await this.#take(lock, turn, 0)
      return await work(fence).finally(() => this.#release(lock, turn, heldMs))
    })
  }

  /** Resolves when each lock that is held now has been free once, except that of this name. Rejects as `hold`. */
  async untilFree(except: string): Promise<void> {
    const held = await fs.promises.readdir(this.#root.folders.at('locks'))
    const own = crypto.hash('md5', except)
    const others = held.filter((name) => lockPattern.test(name) && name !== own)
    await allDone(others.map((lock) => this.#hold(lock, async () => undefined)))
  }

  /** Runs `work` in this process's queue for the lock. `work` itself takes and releases the lock. */
  inTurn<Result>(name: string, work: (lock: LockPaths) => Promise<Result>): Promise<Result> {
    return this.#queued(crypto.hash('md5', name), async ({ lock }) => {
      const fence = await this.#fence.open()
      const holder = this.#canLink ? this.#namePath : undefined
      return await work({ path: this.#pathOf(lock), holder, fence })
    })
  }

  /** The path by which to use a lock at this moment. */
  #pathOf(lock: string): string {
    return `${this.#root.folders.at('locks')}/${lock}`
  }

  async #queued<Result>(lock: string, work: (turn: Turn) => Promise<Result>): Promise<Result> {
    const sinceMs = performance.now()
    const before = this.#queues.get(lock)
    const { promise: mine, resolve: leave } = Promise.withResolvers<void>()
    this.#queues.set(lock, mine)
    if (before !== undefined) await before
    // If the folder of locks was renamed and another process has created a new one, locks in the two would not exclude
    // each other. An error is ignored: without the drive, the lock can't be taken, and a folder that can't be opened has no
    // other users.
    await followOwnFolders(this.#root).catch(() => undefined)
    const key = this.#keyOf(lock)
    turnsHere.set(key, (turnsHere.get(key) ?? 0) + 1)
    try {
      return await work({ lock, sinceMs })
    } finally {
      const others = (turnsHere.get(key) ?? 1) - 1
      if (others === 0) turnsHere.delete(key)
      else turnsHere.set(key, others)
      if (this.#queues.get(lock) === mine) this.#queues.delete(lock)
      leave()
    }
  }

  /** The same for all open drives over one folder. */
  #keyOf(lock: string): string {
    return `${this.#root.path}/${lock}`
  }

  /** Whether only one turn of this process runs for the lock. */
  #isAlone(lock: string): boolean {
    return turnsHere.get(this.#keyOf(lock)) === 1
  }

  /** Removes a lock that a thread of this process left. Call it in the lock's turn. Never rejects. */
  async dropOwn({ path }: LockPaths): Promise<void> {
    const lock = basename(path)
    const turn = { lock, sinceMs: performance.now() }
    await this.#release(lock, turn, () => Number.POSITIVE_INFINITY)
  }

  /**
   * Releases a lock or a guard. Never rejects, because the work under it is done.
   *
   * @param heldMs the longest time that it can have been held
   */
  async #release(lock: string, turn: Turn, heldMs: () => number, depth = 0): Promise<void> {
    try {
      if (heldMs() < certainMs) await this.#drop(lock)
      else await this.#dropIfOwn(lock, turn, depth)
    } catch {
      this.#releaseLater(lock, turn.lock)
    }
  }

  /** Retries until the lock is gone, because other processes need it. */
  #releaseLater(lock: string, queue: string): void {
    const timer = setTimeout(() => {
      // A turn of this process may have taken and released it meanwhile.
      const again = () =>
        this.#queued(queue, async (turn) => {
          // Another drive of this process over the same folder may hold it now.
          if (!this.#isAlone(queue)) throw new Error('the lock may be in use')
          await this.#dropIfOwn(lock, turn, 0)
        })
      again().catch(() => this.#releaseLater(lock, queue))
    }, removeAgainMs)
    timer.unref()
  }

  /** For a holder that may have been suspended: another process may have taken the lock over. */
  async #dropIfOwn(lock: string, turn: Turn, depth: number): Promise<void> {
    if ((await readHolder(this.#pathOf(lock))) !== thisProcess) return
    await this.#guarded(lock, turn, depth, async () => {
      if ((await readHolder(this.#pathOf(lock))) === thisProcess) await this.#drop(lock)
    })
  }

  /** Only one process at a time removes a lock that may not be its own. */
  async #guarded(
    lock: string,
    turn: Turn,
    depth: number,
    work: () => Promise<void>,
  ): Promise<void> {
    const guard = `${lock}.steal`
    const { heldMs } = await this.#take(guard, turn, depth + 1)
    await work().finally(() => this.#release(guard, turn, heldMs, depth + 1))
  }

  async #take(lock: string, turn: Turn, depth: number): Promise<Held> {
    let watch: HolderWatch | undefined
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      const fence = await this.#fence.open()
      const heldMs = stopwatch()
      if (await this.#create(lock, turn, depth)) return { heldMs, fence }
      watch ??= new HolderWatch(() => this.#pathOf(lock))
      const state = await watch.look()
      if (state === 'abandoned' && depth < deepestTheft) {
        await this.#steal(lock, turn, watch, depth)
        continue
      }
      const waitedMs = performance.now() - turn.sinceMs
      if (waitedMs > (state === 'silent' ? longestSilentWaitMs : longestWaitMs)) {
        const message =
          'Another process holds the lock on this key and makes no progress. Try again.'
        throw new DriveError('busy', message, { retryAfterSeconds: 5 })
      }
      if (state !== 'gone') await delay(pauseMs)
    }
  }

  /**
   * Removes the lock of a dead process. It first checks again under the guard: another process may have removed the
   * lock, and a living one may have taken it.
   */
  async #steal(lock: string, turn: Turn, watch: HolderWatch, depth: number): Promise<void> {
    await this.#guarded(lock, turn, depth, async () => {
      if ((await watch.look()) !== 'abandoned') return
      const { inode } = watch
      await fenceOff(watch.holder, this.#root)
      // The process may have resumed just before that. If any process has taken the lock since, the lock has another
      // inode, because the former holder file still exists in the folder that was moved.
      const isStill = (await watch.look()) === 'abandoned' && watch.inode === inode
      if (isStill) await this.#drop(lock)
    })
  }

  /** False if another process has it. */
  async #create(lock: string, turn: Turn, depth: number): Promise<boolean> {
    const { files } = this.#root
    const canLink = this.#canLink
    try {
      if (canLink) await files.link(this.#namePath, this.#pathOf(lock))
      else await this.#write(this.#pathOf(lock))
      return true
    } catch (error) {
      const code = codeOf(error)
      if (code === 'EEXIST') return await this.#isUnreleased(lock, turn, depth)
      const hasNoLinks = canLink && cannotLink(error)
      if (hasNoLinks) this.#canLink = false
      // The fence is also gone, and the caller opens a new one. EXDEV: this drive or another one was mounted meanwhile.
      else if (['ENOENT', 'EXDEV'].includes(code)) await this.prepare()
      if (code === 'EXDEV') throw mountedAgain(error)
      if (hasNoLinks || code === 'ENOENT') return false
      throw error
    }
  }

  /** Without hard links. */
  async #write(path: string): Promise<void> {
    // As link(2) would fail, see `#namePath`.
    await fs.promises.access(this.#namePath)
    await fs.promises.writeFile(path, thisProcess, { flag: 'wx' })
  }

  /**
   * Whether this process owns the lock or guard although none of its requests holds it. That happens if the reply to the
   * call that created or removed it was lost, as on NFS.
   */
  async #isUnreleased(lock: string, turn: Turn, depth: number): Promise<boolean> {
    const path = this.#pathOf(lock)
    if (!this.#isAlone(turn.lock) || (await readHolder(path)) !== thisProcess) return false
    const [own, held] = await Promise.all([this.#namePath, path].map(inodeOf))
    if (!this.#canLink || own === held) return true
    // It is a link to the holder file before a takeover. The process that takes over may be about to remove it.
    if (depth < deepestTheft) await this.#dropIfOwn(lock, turn, depth)
    return false
  }

  async #drop(lock: string): Promise<void> {
    try {
      await this.#root.files.unlink(this.#pathOf(lock))
    } catch (error) {
      // A process that considered this one dead has taken it over.
      if (codeOf(error) !== 'ENOENT') throw error
    }
  }
}

function mountedAgain(cause: unknown): DriveError {
  const message = 'The drive was mounted again. Try again.'
  return new DriveError('busy', message, { retryAfterSeconds: 1, cause })
}

async function inodeOf(path: string): Promise<number | undefined> {
  return (await unlessAbsent(() => fs.promises.lstat(path)))?.ino
}
