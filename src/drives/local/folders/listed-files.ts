import type { Stats } from 'node:fs'
import type { Entry, FolderEntry, ObjectEntry } from '../../drive.ts'
import type { ObjectCandidate } from '../../folder-cursor.ts'
import type { TurnTaker } from '../../turn-taker.ts'
import type { LocalRoot } from '../local-root.ts'
import { joinFilePath, objectPathOf } from '../object-path.ts'
import type { AttributeCache, KnownFile } from '../objects/attribute-cache.ts'
import { describe } from '../objects/object-files.ts'

/** A listed object whose file has not been read yet. */
export interface LocalCandidate extends ObjectCandidate {
  /** The object's natural path below the root, where that is known without asking. */
  readonly path: string | undefined
  readonly isAlternative: boolean
}

/** Concurrent file reads when the disk is slow. */
const concurrentLooks = 64

/**
 * Files whose ETags are asked for at a time. SQLite answers in this thread: for a thousand files it
 * would keep other requests waiting for 10 to 30 ms.
 */
const etagBatch = 100

/** Adds size, time and ETag to listed objects; objects deleted meanwhile are dropped. */
export class ListedFiles {
  readonly #root: LocalRoot
  readonly #known: AttributeCache

  constructor(root: LocalRoot, known: AttributeCache) {
    this.#root = root
    this.#known = known
  }

  /**
   * @param candidates at most 1,000
   * @param turns of the whole page: a turn counts what was done for the page before.
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

  /** The batches are asked for at once, as far as the database answers elsewhere. */
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
        // Awaited later, or never if another one fails first: the catch avoids an unhandled
        // rejection.
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

  /** At both paths: the object may have been moved from the one to the other meanwhile. */
  async #search(bucket: string, candidate: LocalCandidate): Promise<KnownFile | undefined> {
    const objectPath = objectPathOf(bucket, candidate.key)
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
