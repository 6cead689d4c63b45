import { DavError } from './dav-error.ts'
import { type DavPath, pathKey } from './dav-path.ts'

/**
 * Nextcloud's transactional file locking: readers and uploads hold a shared lock on a file and on the
 * folders above. Replacing, moving and deleting it requires an exclusive lock, otherwise 423.
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

  /** 423 when it, or something in it, has more than `own` shared holders. */
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
