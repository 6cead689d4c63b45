import { DavError } from './dav-error.ts'
import { type DavPath, pathKey } from './dav-path.ts'

/**
 * Nextcloud's transactional file locking: who reads or uploads a file holds a shared lock on it and
 * on the folders above; replacing, moving and deleting it needs it alone, else 423.
 */
export class PathLocks {
  readonly #shared = new Map<string, number>()

  /** Returns a function that releases the lock. */
  share(path: DavPath): () => void {
    const keys = keysAbove(path)
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
    if ((this.#shared.get(pathKey(path)) ?? 0) > own) throw locked(path)
  }
}

function keysAbove(path: DavPath): string[] {
  return path.map((_, index) => pathKey(path.slice(0, index + 1)))
}

function locked(path: DavPath): DavError {
  return new DavError(423, `"${pathKey(path)}" is locked`)
}
