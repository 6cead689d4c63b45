import { parsedJson } from '../../../../platform/text/json-text.ts'
import { fs } from '../file-calls.ts'
import { codeOf, unlessAbsent } from '../fs-error.ts'
import type { LocalRoot } from '../local-root.ts'
import { type OpenFence, removeThrough } from './fence.ts'
import { KeyLocks, type LockPaths } from './key-locks.ts'

/** The lock of moves of folders. No key has this path, because no bucket has the name of the own folder. */
const moveLock = '.bucketry/moves'

/** The mark of a move, in the folder of locks: a symbolic link, because it gets its text in the step that creates it. */
export const moveMark = 'moving'

/**
 * The locks of keys, and of whole folders. A move of a folder sets its mark and then waits until each lock that is held at
 * that time has been free; a change of a key looks for the mark after it has the lock of the key. So one of the two sees
 * the other, without a lock for each folder above the key.
 */
export class FolderLocks {
  readonly #root: LocalRoot
  readonly #keys: KeyLocks

  constructor(root: LocalRoot) {
    this.#root = root
    this.#keys = new KeyLocks(root)
  }

  /** Whether folders can be locked. On a network file system, another machine may see the mark too late. */
  get locksFolders(): boolean {
    return this.#root.calls === undefined
  }

  /** As `KeyLocks.prepare`. */
  prepare(): Promise<void> {
    return this.#keys.prepare()
  }

  /** As `KeyLocks.hold`. */
  async hold<Result>(path: string, work: (fence: OpenFence) => Promise<Result>): Promise<Result> {
    for (;;) {
      const done = await this.#keys.hold(path, async (fence) =>
        this.locksFolders && (await this.#isMoving(path))
          ? undefined
          : { result: await work(fence) },
      )
      if (done !== undefined) return done.result
      // A mark without this lock was left by a dead process.
      await this.#keys.hold(moveLock, (fence) => this.#unmark(fence))
    }
  }

  /** As `KeyLocks.inTurn`. `work` must change nothing while there is a mark. */
  inTurn<Result>(path: string, work: (lock: LockPaths) => Promise<Result>): Promise<Result> {
    return this.#keys.inTurn(path, work)
  }

  /** As `KeyLocks.dropOwn`. */
  dropOwn(lock: LockPaths): Promise<void> {
    return this.#keys.dropOwn(lock)
  }

  /**
   * Runs `work` while nobody else holds the lock of a key at or below these paths. As `hold`, for the fence.
   *
   * @returns undefined if the mark can't be set, as on a full disk or without symbolic links
   */
  holdFolders<Result>(
    paths: readonly string[],
    work: (fence: OpenFence) => Promise<Result>,
  ): Promise<Result | undefined> {
    return this.#keys.hold(moveLock, async (fence) => {
      await this.#unmark(fence)
      // The lock of a holder that is suspended, or died on another host, takes long: writers must not wait for it as well.
      await this.#keys.untilFree(moveLock)
      try {
        await fs.promises.symlink(JSON.stringify(paths), this.#markPath)
      } catch (error) {
        if (markless.has(codeOf(error))) return undefined
        throw error
      }
      try {
        await this.#keys.untilFree(moveLock)
        return await work(fence)
      } finally {
        await this.#unmark(fence)
      }
    })
  }

  get #markPath(): string {
    return `${this.#root.folders.at('locks')}/${moveMark}`
  }

  async #isMoving(path: string): Promise<boolean> {
    const { files } = this.#root
    if ((await files.lstat(this.#markPath)) === undefined) return false
    const text = await unlessAbsent(() => files.readlink(this.#markPath))
    if (text === undefined) return false
    const folders = (parsedJson(text) ?? []) as readonly string[]
    return folders.some((folder) => path === folder || path.startsWith(`${folder}/`))
  }

  /** Through the fence: if the lock was taken over, the mark is that of another process. */
  async #unmark(fence: OpenFence): Promise<void> {
    if ((await this.#root.files.lstat(this.#markPath)) === undefined) return
    try {
      await removeThrough(fence, this.#root, this.#markPath, { isLarge: false })
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error
    }
  }
}

const markless: ReadonlySet<string> = new Set([
  ...['ENOSPC', 'EDQUOT', 'ENAMETOOLONG', 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'],
])
