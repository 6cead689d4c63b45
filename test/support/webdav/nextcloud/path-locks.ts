import { DavError } from './dav-error.ts'
import { type DavPath, pathKey } from './dav-path.ts'

/**
 * Nextcloud's transactional file locking: who reads or uploads a file holds a shared lock on it and
 * on the folders above; replacing, moving and deleting it needs it alone, else 423.
 */
export class PathLocks {
  readonly #shared = new Map<string, number>()
  readonly #exclusive = new Set<string>()

  /** 423 while somebody holds it alone. Returns what releases it. */
  share(path: DavPath): () => void {
    const keys = keysAbove(path)
    if (keys.some((key) => this.#exclusive.has(key))) throw locked(path)
    for (const key of keys) this.#shared.set(key, (this.#shared.get(key) ?? 0) + 1)
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      for (const key of keys) this.#shared.set(key, (this.#shared.get(key) ?? 0) - 1)
    }
  }

  /** 423 when anybody but `own` shared holders has it, or something in it. */
  checkAlone(path: DavPath, own = 0): void {
    const isShared = (this.#shared.get(pathKey(path)) ?? 0) > own
    if (isShared || this.#exclusive.has(pathKey(path))) throw locked(path)
  }

  /** Returns what releases it. */
  holdAlone(path: DavPath, own = 0): () => void {
    this.checkAlone(path, own)
    this.#exclusive.add(pathKey(path))
    return () => this.#exclusive.delete(pathKey(path))
  }
}

function keysAbove(path: DavPath): string[] {
  return path.map((_, index) => pathKey(path.slice(0, index + 1)))
}

function locked(path: DavPath): DavError {
  return new DavError(423, `"${pathKey(path)}" is locked`)
}
