import type { Stats } from 'node:fs'
import { allDone } from '../file-calls.ts'
import type { LocalRoot } from '../local-root.ts'
import { folderIdentityOf } from '../objects/file-identity.ts'
import { OpenFolder, syncFolderAt } from './open-folder.ts'

interface Waiting {
  readonly folder: OpenFolder
  resolve(): void
  reject(reason: unknown): void
}

interface Turns {
  running: number
  isNextScheduled: boolean
  /** Calls that the next sync serves. */
  waiting: Waiting[]
}

/**
 * The maximum number of concurrent syncs, a part of the thread pool that all file calls share. One folder may have several
 * at the same time: a caller whose change came after the first had begun would otherwise wait for two. The first sync of a
 * folder always starts.
 */
const maxRunning = 8

/** The maximum number of folders that are remembered as durable in their parents. */
const durableLimit = 10_000

/** Makes changes to folders durable; writers to the same folder share syncs. */
export class FolderSync {
  readonly #root: LocalRoot
  readonly #turns = new Map<string, Turns>()
  #running = 0
  /** The marks (`folderMark`) of folders that are durable in their parents: a write to one syncs no other folder. */
  readonly #durable = new Set<string>()

  constructor(root: LocalRoot) {
    this.#root = root
  }

  /**
   * Resolves when everything that was done in the folder before the call is durable, and so are the names of the folders
   * on its path, including the bucket's: another process may have created them and not have synced them yet.
   */
  async makeDurable(folder: OpenFolder): Promise<void> {
    const mark = await this.#markOf(folder)
    // Waits for both, because the folder must not be closed during a sync.
    await allDone([
      this.#sync(folder, mark),
      this.#durable.has(mark) ? undefined : this.#syncAncestors(folder),
    ])
    if (this.#durable.size >= durableLimit) this.#durable.clear()
    this.#durable.add(mark)
  }

  /**
   * Whether the names of the folders that lead to this one are known to be durable.
   * @param mark see `folderMark`
   */
  isReachable(mark: string): boolean {
    return this.#durable.has(mark)
  }

  /** Up to the first one whose own name is known to be durable. */
  async #syncAncestors(folder: OpenFolder): Promise<void> {
    const components = folder.path.slice(this.#root.path.length + 1).split('/')
    const syncs: Promise<void>[] = []
    let isReached = false
    while (!isReached && components.length > 1) {
      components.pop()
      const above = await OpenFolder.open(this.#root, components.join('/'))
      // The process that removed it syncs its parent.
      if (above === undefined) continue
      const mark = await this.#markOf(above)
      const synced = this.#sync(above, mark).finally(() => above.close())
      // Awaited below: avoids an unhandled rejection.
      synced.catch(() => undefined)
      syncs.push(synced)
      isReached = this.#durable.has(mark)
    }
    if (!isReached) syncs.push(syncFolderAt(this.#root.path || '/'))
    await allDone(syncs)
  }

  /** Calls in one turn of the event loop share a sync, which starts after that turn. */
  #sync(folder: OpenFolder, mark: string): Promise<void> {
    let turns = this.#turns.get(mark)
    if (turns === undefined) {
      turns = { running: 0, isNextScheduled: false, waiting: [] }
      this.#turns.set(mark, turns)
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    turns.waiting.push({ folder, resolve, reject })
    this.#scheduleNext(turns, mark)
    return promise
  }

  #scheduleNext(turns: Turns, mark: string): void {
    if (turns.isNextScheduled || turns.waiting.length === 0) return
    if (turns.running > 0 && this.#running >= maxRunning) return
    turns.isNextScheduled = true
    setImmediate(() => {
      turns.isNextScheduled = false
      void this.#syncFor(turns.waiting.splice(0), turns, mark)
    })
  }

  async #syncFor(group: readonly Waiting[], turns: Turns, mark: string): Promise<void> {
    turns.running++
    this.#running++
    try {
      // The waiting caller keeps the folder open.
      await group[0]?.folder.sync()
      for (const { resolve } of group) resolve()
    } catch (error) {
      for (const { reject } of group) reject(error)
    } finally {
      turns.running--
      this.#running--
      this.#scheduleNext(turns, mark)
      if (turns.running === 0 && turns.waiting.length === 0) this.#turns.delete(mark)
    }
  }

  async #markOf(folder: OpenFolder): Promise<string> {
    return folderMark(folder.path, await folder.stats(), this.#root.hasBirthtime)
  }
}

/** Identifies a folder at its absolute path. A folder that is created again may have the inode of the previous one. */
export function folderMark(path: string, stats: Stats, hasBirthtime: boolean): string {
  return `${path} ${folderIdentityOf(stats, hasBirthtime)}`
}
