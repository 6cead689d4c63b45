import crypto from 'node:crypto'
import fs from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { hasEnded } from '../../../process/ended-processes.ts'
import { livenessOf, thisProcess } from '../../../process/identity.ts'
import { DriveError } from '../../drive.ts'
import { makeFolders } from '../folders/durable-folders.ts'
import { cannotLink, codeOf, unlessAbsent } from '../fs-error.ts'
import { type LocalRoot, requireOwnFolder } from '../local-root.ts'
import { holderName, removeDraftsOf } from './former-holder.ts'

/** After this time without a sign of life, a holder on another host counts as dead. */
const silentHolderMs = 30_000
/** A living holder keeps a lock for microseconds. A stopped one must not block the others. */
const longestWaitMs = 20_000
/** Longer than `silentHolderMs`, so that a dead holder on another host is recognized first. */
const longestSilentWaitMs = 2 * silentHolderMs
const firstPauseMs = 1
const longestPauseMs = 50
/** A process that dies while it takes over a lock leaves another one to take over, and so on. */
const deepestTheft = 4
/** A lock that was held for less time is certainly still held: a silent holder is given more time. */
export const certainMs = 5_000
/** How long to wait before a lock that could not be removed is tried again. */
const removeAgainMs = 100

/** How many turns of this process run for each lock, of all drives that are open. */
const turnsHere = new Map<string, number>()

export interface LockPaths {
  /** The lock: an existing file. */
  readonly path: string
  /** The file to link to `path`; undefined if the file system has no hard links. */
  readonly holder: string | undefined
}

/**
 * Locks between all processes that use the drive. A process that changes a key holds its lock only while
 * it checks and renames. A lock is an existing file: a hard link to a file with the holder's name (8 µs
 * to take and release; link(2) is atomic, also on NFS), or a separate file if the file system has no hard
 * links. The locks of dead processes are removed by the next process that needs them.
 *
 * A process on another host may only be suspended, and continue at any moment. So what it was about to publish is
 * removed before its lock is (docs/decisions/0003-lock-files-for-keys.md).
 */
export class KeyLocks {
  readonly #root: LocalRoot
  readonly #namePath: string
  /** The last caller in this process's queue, by lock. */
  readonly #queues = new Map<string, Promise<void>>()
  #canLink = true

  constructor(root: LocalRoot) {
    this.#root = root
    this.#namePath = `${root.processFolder}/${holderName}`
  }

  /**
   * Writes the file with this process's name, which its locks link to. Called once at the start: later,
   * taking a lock needs no space on the disk.
   */
  async prepare(): Promise<void> {
    await requireOwnFolder(this.#root)
    await makeFolders(this.#root.lockFolder)
    await makeFolders(this.#root.processFolder)
    // By rename: no process may see a lock without its holder's name.
    const temporary = `${this.#namePath}-${crypto.randomUUID()}`
    await fs.promises.writeFile(temporary, thisProcess)
    await fs.promises.rename(temporary, this.#namePath)
  }

  /**
   * Runs `work` with the lock of this name.
   * @throws DriveError `busy` when a living process does not release it; what `work` throws.
   */
  hold<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    return this.inTurn(name, async ({ path }) => {
      await this.#take(path, 0)
      const takenAt = now()
      return await work().finally(() => this.#release(path, takenAt))
    })
  }

  /**
   * Runs `work` in this process's queue for the lock, without taking the lock: `work` takes and releases it.
   */
  inTurn<Result>(name: string, work: (lock: LockPaths) => Promise<Result>): Promise<Result> {
    return this.#queued(`${this.#root.lockFolder}/${crypto.hash('md5', name)}`, work)
  }

  async #queued<Result>(path: string, work: (lock: LockPaths) => Promise<Result>): Promise<Result> {
    const before = this.#queues.get(path)
    const { promise: mine, resolve: leave } = Promise.withResolvers<void>()
    this.#queues.set(path, mine)
    if (before !== undefined) await before
    turnsHere.set(path, (turnsHere.get(path) ?? 0) + 1)
    try {
      return await work({ path, holder: this.#canLink ? this.#namePath : undefined })
    } finally {
      const others = (turnsHere.get(path) ?? 1) - 1
      if (others === 0) turnsHere.delete(path)
      else turnsHere.set(path, others)
      if (this.#queues.get(path) === mine) this.#queues.delete(path)
      leave()
    }
  }

  /** Removes a lock that a thread of this process left. Call it in the lock's turn. Never rejects. */
  async dropOwn({ path }: LockPaths): Promise<void> {
    await this.#release(path, Number.NEGATIVE_INFINITY)
  }

  /** Never rejects: what was done under the lock is done. */
  async #release(path: string, takenAt: number): Promise<void> {
    try {
      const heldMs = now() - takenAt
      // The clock may have been set back.
      if (heldMs >= 0 && heldMs < certainMs) await this.#drop(path)
      else await this.#dropIfOwn(path, 0)
    } catch {
      this.#releaseLater(path)
    }
  }

  /** Other processes need the lock: it is tried again until it is gone. */
  #releaseLater(path: string): void {
    const timer = setTimeout(() => {
      // A turn of this process may have taken and released it meanwhile.
      const again = () => this.#queued(path, () => this.#dropIfOwn(path, 0))
      again().catch(() => this.#releaseLater(path))
    }, removeAgainMs)
    timer.unref()
  }

  /** For a holder that may have been suspended: another process may have taken the lock over. */
  async #dropIfOwn(path: string, depth: number): Promise<void> {
    if ((await readHolder(path)) !== thisProcess) return
    const guard = `${path}.steal`
    await this.#take(guard, depth + 1)
    try {
      if ((await readHolder(path)) === thisProcess) await this.#drop(path)
    } finally {
      await this.#drop(guard)
    }
  }

  async #take(path: string, depth: number): Promise<void> {
    let watch: HolderWatch | undefined
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      if (await this.#create(path)) return
      watch ??= new HolderWatch(path)
      const state = await watch.look()
      if (state === 'abandoned' && depth < deepestTheft) {
        await this.#steal(path, watch, depth)
        continue
      }
      if (watch.waitedMs > (state === 'silent' ? longestSilentWaitMs : longestWaitMs)) {
        const message =
          'Another process holds the lock on this key and makes no progress. Try again.'
        throw new DriveError('busy', message, { retryAfterSeconds: 5 })
      }
      if (state !== 'gone') await delay(pauseMs)
    }
  }

  /**
   * Removes the lock of a dead process. Only one process at a time does that, and it checks again first:
   * meanwhile, another one may have removed the lock and a living process may have taken it.
   */
  async #steal(path: string, watch: HolderWatch, depth: number): Promise<void> {
    const guard = `${path}.steal`
    await this.#take(guard, depth + 1)
    try {
      if ((await watch.look()) !== 'abandoned') return
      if (!watch.isHolderDead) {
        await removeDraftsOf(watch.holder, this.#root)
        // It may have continued just before that, and another process may have the lock now.
        if ((await watch.look()) !== 'abandoned') return
      }
      await this.#drop(path)
    } finally {
      await this.#drop(guard)
    }
  }

  /** False if another process has it. */
  async #create(path: string): Promise<boolean> {
    const { files } = this.#root
    try {
      if (this.#canLink) await files.link(this.#namePath, path)
      else await fs.promises.writeFile(path, thisProcess, { flag: 'wx' })
      return true
    } catch (error) {
      const code = codeOf(error)
      if (code === 'EEXIST') return await this.#isUnreleased(path)
      if (code === 'ENOENT' && this.#canLink) await this.prepare()
      else if (this.#canLink && cannotLink(error)) this.#canLink = false
      else throw error
      return this.#create(path)
    }
  }

  /**
   * Whether a lock is this process's, which holds none: the reply of a call that created or removed it was lost,
   * as on NFS.
   */
  async #isUnreleased(path: string): Promise<boolean> {
    const isAlone = (turnsHere.get(path) ?? 0) === 1
    return isAlone && (await readHolder(path)) === thisProcess
  }

  async #drop(path: string): Promise<void> {
    try {
      await this.#root.files.unlink(path)
    } catch (error) {
      // It was taken over by a process that considered this one dead.
      if (codeOf(error) !== 'ENOENT') throw error
    }
  }
}

/** Milliseconds that also pass, as far as the system tells, while the process or the machine is suspended. */
function now(): number {
  return Math.max(performance.now(), Date.now() - performance.timeOrigin)
}

/** Undefined without a lock; empty when the holder died while it wrote its name. */
function readHolder(path: string): Promise<string | undefined> {
  return unlessAbsent(() => fs.promises.readFile(path, 'latin1'))
}

type HolderState = 'gone' | 'held' | 'silent' | 'abandoned'

/** Watches one lock, and decides when its holder counts as dead. */
class HolderWatch {
  readonly #path: string
  readonly #startedAt = performance.now()
  holder = ''
  isHolderDead = false
  #signature = ''
  #unchangedSince = performance.now()

  constructor(path: string) {
    this.#path = path
  }

  get waitedMs(): number {
    return performance.now() - this.#startedAt
  }

  async look(): Promise<HolderState> {
    const holder = await readHolder(this.#path)
    if (holder === undefined) return 'gone'
    this.holder = holder
    const liveness = livenessOf(holder)
    this.isHolderDead = liveness === 'dead'
    if (liveness === 'alive') return 'held'
    if (this.isHolderDead || hasEnded(holder)) return 'abandoned'
    return (await this.#silentMs(holder)) > silentHolderMs ? 'abandoned' : 'silent'
  }

  /** A process changes the change time of its name's file with every lock it takes or releases. */
  async #silentMs(holder: string): Promise<number> {
    const stats = await fs.promises.lstat(this.#path).catch(() => undefined)
    const signature = `${holder} ${stats?.ino} ${stats?.ctimeMs}`
    if (signature !== this.#signature) {
      this.#signature = signature
      this.#unchangedSince = performance.now()
    }
    return performance.now() - this.#unchangedSince
  }
}
