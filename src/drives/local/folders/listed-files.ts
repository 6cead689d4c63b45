import type { Stats } from 'node:fs'
import type { ObjectCandidate } from '../../folder-cursor.ts'
import type { Entry, FolderEntry, ObjectEntry } from '../../listed-entry.ts'
import type { TurnTaker } from '../../turn-taker.ts'
import type { LocalRoot } from '../local-root.ts'
import { joinFilePath, localPathOf } from '../object-path.ts'
import type { AttributeCache, KnownFile } from '../objects/attribute-cache.ts'
import { describe } from '../objects/object-files.ts'

/** A listed object whose file has not been read yet. */
export interface LocalCandidate extends ObjectCandidate {
  /** The object's natural path below the root, if it is known from the listing. */
  readonly path: string | undefined
  readonly isAlternative: boolean
}

/** Concurrent look-ups when the disk is slow. */
const concurrentLooks = 64

/**
 * The number of files in one query for ETags. SQLite runs in this thread: a query for a thousand files
 * would delay other requests by 10 to 30 ms.
 */
const etagBatch = 100

/** Adds size, time and ETag to listed objects, and omits objects that were deleted meanwhile. */
export class ListedFiles {
  readonly #root: LocalRoot
  readonly #known: AttributeCache

  constructor(root: LocalRoot, known: AttributeCache) {
    this.#root = root
    this.#known = known
  }

  /**
   * @param candidates at most 1,000
   * @param turns shared by all calls for one listing page
   */
  async describe(
    bucket: string,
    candidates: readonly (LocalCandidate | FolderEntry)[],
    turns: TurnTaker,
  ): Promise<Entry[]> {
    const files = await this.#lookAtAll(bucket, candidates, turns)
    const present = files.filter((file) => file !== undefined)
    const etags = await this.#etagsOf(present, turns)
    const entries: Entry[] = []
    let next = 0
    for (const [index, candidate] of candidates.entries()) {
      const file = files[index]
      if (candidate.kind === 'folder') entries.push({ kind: 'folder', key: candidate.key })
      else if (file !== undefined) entries.push(entryOf(candidate.key, file, etags[next++] ?? ''))
    }
    return entries
  }

  /** The batches run concurrently if the database runs in another process. */
  async #etagsOf(files: readonly KnownFile[], turns: TurnTaker): Promise<string[]> {
    const batches: Promise<string[]>[] = []
    for (let start = 0; start < files.length; start += etagBatch) {
      const batch = this.#known.etagsOf(files.slice(start, start + etagBatch))
      // As in `#lookAtAll`.
      batch.catch(() => undefined)
      batches.push(batch)
      const pause = turns.step()
      if (pause !== undefined) await pause
    }
    return (await Promise.all(batches)).flat()
  }

  async #lookAtAll(
    bucket: string,
    candidates: readonly (LocalCandidate | FolderEntry)[],
    turns: TurnTaker,
  ): Promise<(KnownFile | undefined)[]> {
    const looks: (KnownFile | undefined | Promise<KnownFile | undefined>)[] = []
    let pending: Promise<unknown>[] = []
    for (const candidate of candidates) {
      const look = candidate.kind === 'folder' ? undefined : this.#lookAt(bucket, candidate)
      looks.push(look)
      if (look instanceof Promise) {
        // Awaited later, or never if another one fails first: avoids an unhandled rejection.
        look.catch(() => undefined)
        pending.push(look)
      }
      if (pending.length >= concurrentLooks) {
        await Promise.all(pending)
        pending = []
      }
      const pause = turns.step()
      if (pause !== undefined) await pause
    }
    return await Promise.all(looks)
  }

  #lookAt(
    bucket: string,
    candidate: LocalCandidate,
  ): KnownFile | undefined | Promise<KnownFile | undefined> {
    const { path } = candidate
    if (path === undefined || candidate.isAlternative) return this.#search(bucket, candidate)
    const stats = this.#root.files.lstat(`${this.#root.path}/${path}`)
    if (stats instanceof Promise) {
      return stats.then((found) => this.#fileOf(found, path) ?? this.#search(bucket, candidate))
    }
    return this.#fileOf(stats, path) ?? this.#search(bucket, candidate)
  }

  /** Twice at both paths: the object may be moved from one to the other meanwhile. */
  async #search(bucket: string, candidate: LocalCandidate): Promise<KnownFile | undefined> {
    const objectPath = localPathOf(bucket, candidate.key)
    const { natural, alternative } = objectPath
    for (const filePath of [natural, alternative, natural, alternative]) {
      const stats = await this.#root.files.lstat(`${this.#root.path}/${joinFilePath(filePath)}`)
      const file = this.#fileOf(stats, objectPath.path)
      if (file !== undefined) return file
    }
    return undefined
  }

  #fileOf(stats: Stats | undefined, path: string): KnownFile | undefined {
    return stats?.isFile() ? { ...describe(stats, this.#root), path } : undefined
  }
}

function entryOf(key: string, file: KnownFile, etag: string): ObjectEntry {
  return { kind: 'object', key, size: file.size, modifiedAtMs: file.modifiedAtMs, etag }
}
