import { setTimeout as sleep } from 'node:timers/promises'
import type { KeyLease, KeyLeases } from '../key-leases.ts'
import type { NameRules } from '../name-rules.ts'
import { asked } from './attribute-store.ts'
import type { DavPath } from './dav-path.ts'
import { type DavPlace, ownerOf, textOf } from './dav-place.ts'
import type { DavRecords } from './dav-records.ts'
import type { DavServer } from './dav-server.ts'
import type { OwnFolder } from './own-folder.ts'

/** How long others may be at work in a folder before it is left alone. */
const patienceMs = 10_000
const pauseMs = 5
/** How often what is in the folders may change meanwhile. */
const attempts = 16
/** Folders of which a name is remembered that was in them. */
const maxRemembered = 10_000

export interface FolderTidierParts {
  readonly server: DavServer
  readonly leases: KeyLeases
  readonly records: DavRecords
  readonly own: OwnFolder
  readonly rules: NameRules
}

/**
 * Removes folders that only keys created, when they are empty. WebDAV removes folders with all that
 * is in them, so an empty one is moved aside first, looked at again, and moved back when somebody
 * has put something into it in between.
 */
export class FolderTidier {
  readonly #parts: FolderTidierParts
  /**
   * For each folder a name that was in it. Where it still is, the folder is not empty: removing ten
   * thousand keys must not list their folder ten thousand times.
   */
  readonly #remembered = new Map<string, string>()

  constructor(parts: FolderTidierParts) {
    this.#parts = parts
  }

  /** Removes the folder and those above it, as far as they are empty and made by keys. */
  async tidy(place: DavPlace, folder: DavPath): Promise<void> {
    let inner: DavPath = folder
    for (let attempt = 0; attempt < attempts && inner.length > 1; attempt++) {
      const chain = await this.#emptyChain(inner)
      const outermost = chain.at(-1)
      if (outermost === undefined) return
      // Those further in may be empty still when something came into one further out.
      if ((await this.#removeChain(place, chain)) === 'gone') inner = outermost.slice(0, -1)
    }
  }

  /** The folder and those above it that hold nothing else, innermost first. */
  async #emptyChain(folder: DavPath): Promise<DavPath[]> {
    const paths = Array.from({ length: folder.length - 1 }, (_, index) =>
      folder.slice(0, folder.length - index),
    )
    const own = await asked(this.#parts.records.ownFolders(paths.map(textOf)))
    const chain: DavPath[] = []
    for (const path of paths) {
      if (!own.has(textOf(path)) || !(await this.#holdsOnly(path, chain.at(-1)))) break
      chain.push(path)
    }
    return chain
  }

  /** Whether nothing is in the folder but this inner one; also when the folder is not there. */
  async #holdsOnly(path: DavPath, inner: DavPath | undefined): Promise<boolean> {
    const text = textOf(path)
    const innerName = inner?.at(-1)
    const remembered = this.#remembered.get(text)
    if (remembered !== undefined && remembered !== innerName) {
      if ((await this.#parts.server.stat([...path, remembered])) !== undefined) return false
    }
    const found = await this.#parts.server.list(path, 2)
    const other = found?.children.find(({ name }) => name !== innerName)
    this.#remember(text, other?.name)
    return other === undefined
  }

  async #removeChain(place: DavPlace, chain: readonly DavPath[]): Promise<'gone' | 'stays'> {
    const { leases } = this.#parts
    const places = chain.map(textOf)
    const giveUpAt = Date.now() + patienceMs
    for (;;) {
      const outcome = await leases.hold(places, async (lease) => {
        // Whoever writes into these folders looks at this lease after taking his own.
        if (await leases.isHeldBelow(places, lease.owner)) return 'busy'
        return await this.#removeHeld(place, chain, lease)
      })
      if (outcome !== 'busy') return outcome
      if (Date.now() > giveUpAt) return 'stays'
      await sleep(pauseMs)
    }
  }

  async #removeHeld(
    place: DavPlace,
    chain: readonly DavPath[],
    lease: KeyLease,
  ): Promise<'gone' | 'stays'> {
    const { server, records, own } = this.#parts
    const outermost = chain.at(-1) ?? []
    if (!(await this.#isEmptyChain(chain, outermost))) return 'stays'
    lease.raise(...[outermost.slice(0, -1), ...chain].map(textOf))
    lease.assertHeld()
    const aside = own.newPath()
    const answer = await server.moveFolder(outermost, aside)
    // Gone already, or not to be moved: it stays as it is.
    if (answer.status !== 404 && answer.status >= 300) return 'stays'
    if (answer.status < 300 && !(await this.#isEmptyChain(chain, outermost, aside))) {
      await server.moveFolder(aside, outermost)
      return 'stays'
    }
    await server.removeFolder(aside)
    await asked(records.forgetFolders(chain.map(textOf)))
    await this.#restoreOwner(place, outermost)
    return 'gone'
  }

  /** @param at where the outermost of them is now */
  async #isEmptyChain(
    chain: readonly DavPath[],
    outermost: DavPath,
    at: DavPath = outermost,
  ): Promise<boolean> {
    for (const [index, path] of chain.entries()) {
      const now = [...at, ...path.slice(outermost.length)]
      if (!(await this.#holdsOnlyNow(now, chain[index - 1]?.at(-1)))) return false
    }
    return true
  }

  async #holdsOnlyNow(path: DavPath, innerName: string | undefined): Promise<boolean> {
    const found = await this.#parts.server.list(path, 2)
    return found?.children.every(({ name }) => name === innerName) ?? true
  }

  /** The object that gave way to the folder takes its natural path again. */
  async #restoreOwner(place: DavPlace, folder: DavPath): Promise<void> {
    const owner = ownerOf(place, textOf(folder), this.#parts.rules)
    if (owner === undefined) return
    const paths = { from: owner.alternative, to: owner.natural }
    await this.#parts.server.transfer('MOVE', paths, { overwrite: false })
  }

  #remember(folder: string, name: string | undefined): void {
    this.#remembered.delete(folder)
    if (name === undefined) return
    this.#remembered.set(folder, name)
    const [oldest] = this.#remembered.keys()
    if (this.#remembered.size > maxRemembered && oldest !== undefined) {
      this.#remembered.delete(oldest)
    }
  }
}
