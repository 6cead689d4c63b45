import { allDone } from './all-done.ts'
import { folderIdentityOf } from './file-identity.ts'
import type { LocalRoot } from './local-root.ts'
import { OpenFolder, syncFolderAt } from './open-folder.ts'

interface Turn {
  /** The sync under way. */
  running: Promise<void>
  /** One that begins when it ends, for all who came meanwhile. */
  next: Promise<void> | undefined
}

/** Folders known to be durable in their parents, at most this many are remembered. */
const settledLimit = 10_000

/** Makes changes of folders durable; writers to the same folder share the waiting. */
export class FolderSync {
  readonly #root: LocalRoot
  readonly #turns = new Map<string, Turn>()
  /** Paths with identities of folders whose own names are known to be on the disk. */
  readonly #settled = new Set<string>()

  constructor(root: LocalRoot) {
    this.#root = root
  }

  /**
   * Resolves when everything done in the folder before the call is durable, and so are the names
   * of the folders that lead to it, the bucket's included: another process may have made them and
   * not yet have come so far.
   */
  async settle(folder: OpenFolder): Promise<void> {
    const mark = await this.#markOf(folder)
    // Both to the end: the folder must not be closed under a sync.
    await allDone([
      this.#sync(folder, mark),
      this.#settled.has(mark) ? undefined : this.#syncAncestors(folder),
    ])
    if (this.#settled.size >= settledLimit) this.#settled.clear()
    this.#settled.add(mark)
  }

  async #syncAncestors(folder: OpenFolder): Promise<void> {
    const components = folder.path.slice(this.#root.path.length + 1).split('/')
    const paths = components.slice(1).map((_, index) => components.slice(0, index + 1).join('/'))
    await allDone([
      ...paths.map((path) => this.#syncPath(path)),
      syncFolderAt(this.#root.path || '/'),
    ])
  }

  async #syncPath(relativePath: string): Promise<void> {
    const folder = await OpenFolder.open(this.#root, relativePath)
    // Gone already: whoever removed it answers for that.
    if (folder === undefined) return
    try {
      await this.#sync(folder, await this.#markOf(folder))
    } finally {
      await folder.close()
    }
  }

  #sync(folder: OpenFolder, mark: string): Promise<void> {
    const turn = this.#turns.get(mark)
    if (turn === undefined) return this.#start(folder, mark)
    // The sync under way may have begun before the caller's change: only the next one counts.
    turn.next ??= turn.running.catch(() => undefined).then(() => this.#start(folder, mark))
    return turn.next
  }

  #start(folder: OpenFolder, mark: string): Promise<void> {
    const running = folder.sync()
    const turn: Turn = { running, next: undefined }
    this.#turns.set(mark, turn)
    const end = () => {
      if (turn.next === undefined) this.#turns.delete(mark)
    }
    running.then(end, end)
    return running
  }

  /** A folder that is made again may have the inode of the one before it. */
  async #markOf(folder: OpenFolder): Promise<string> {
    return `${folder.path} ${folderIdentityOf(await folder.stats(), this.#root.hasBirthtime)}`
  }
}
