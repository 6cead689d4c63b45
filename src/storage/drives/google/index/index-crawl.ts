import { TimeLimitError, withinTime } from '../../../../platform/process/time-limit.ts'
import { DriveError } from '../../drive-error.ts'
import { queryLiteral } from '../api/google-api.ts'
import { GoogleNotFound } from '../api/google-failure.ts'
import type { GoogleFile } from '../api/google-file.ts'
import { type GoogleTree, listedRows, refreshFile } from './apply-changes.ts'
import type { DriveIndex } from './drive-index.ts'
import { filePages } from './folder-pages.ts'

/** Folders per list request, and concurrent list requests. */
const foldersPerList = 20
const listsAtOnce = 3
const progressEveryMs = 5_000

/**
 * Lists all folders that must be listed, and the folders found in them. Results are stored
 * immediately, so after a restart the crawl continues with the remaining folders.
 */
export class IndexCrawl {
  readonly #tree: GoogleTree
  #found = 0
  #loggedAt = performance.now()

  constructor(tree: GoogleTree) {
    this.#tree = tree
  }

  /** @param onStep is called before each round, and rejects if another process has taken over. */
  async run(crawl: number, onStep: () => Promise<void>, signal: AbortSignal): Promise<number> {
    const { index } = this.#tree
    for (;;) {
      await onStep()
      const folders = await index.unlisted(foldersPerList * listsAtOnce)
      if (folders.length === 0) return this.#found
      const groups = inGroups(folders)
      await Promise.all(groups.map((group) => this.list(group, crawl, signal)))
    }
  }

  /** Lists these folders, but not the folders in them. */
  async list(folders: readonly string[], crawl: number, signal: AbortSignal): Promise<void> {
    const { index } = this.#tree
    const there = await this.#readThere(folders, crawl, signal)
    // Lists may lag; lookups by id do not.
    const unseen = await index.unseen(there, crawl)
    for (const id of unseen) await refreshFile(this.#tree, id, signal)
    await index.listed(folders, crawl)
  }

  /** The folders that exist on Google. If one is missing, Google rejects the list of several. */
  async #readThere(
    folders: readonly string[],
    crawl: number,
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    try {
      const found = await this.#read(folders, crawl, signal)
      // Some lists of several folders were empty although the folders were not (rclone, `drive`).
      if (found > 0 || folders.length === 1) return folders
    } catch (error) {
      if (!(error instanceof GoogleNotFound)) throw error
      if (folders.length === 1) {
        await refreshFile(this.#tree, folders[0] ?? '', signal)
        return []
      }
    }
    const there: string[] = []
    for (const folder of folders) there.push(...(await this.#readThere([folder], crawl, signal)))
    return there
  }

  async #read(folders: readonly string[], crawl: number, signal: AbortSignal): Promise<number> {
    const { api } = this.#tree
    const parents = folders.map((id) => `${queryLiteral(id)} in parents`).join(' or ')
    const q = `(${parents}) and trashed = false`
    let found = 0
    for await (const files of filePages(api, { q, signal })) {
      await this.#save(files, crawl)
      found += files.length
    }
    return found
  }

  async #save(files: readonly GoogleFile[], crawl: number): Promise<void> {
    const { index, log } = this.#tree
    await index.saveListed(await listedRows(this.#tree, files), crawl)
    this.#found += files.length
    if (performance.now() < this.#loggedAt + progressEveryMs) return
    this.#loggedAt = performance.now()
    log.info({ files: this.#found }, `Google Drive index: ${this.#found} files so far`)
  }
}

function inGroups(folders: readonly string[]): string[][] {
  const groups: string[][] = []
  for (let at = 0; at < folders.length; at += foldersPerList) {
    groups.push(folders.slice(at, at + foldersPerList))
  }
  return groups
}

/** How long a request waits for folders to be listed before it fails with `busy`. */
const waitMs = 5_000
const busyRetrySeconds = 10
/** The maximum number of folders that are listed concurrently on request. */
const maxConcurrent = 64

interface FolderListingsOptions {
  readonly index: Pick<DriveIndex, 'state' | 'unlistedOf'>
  readonly crawl: Pick<IndexCrawl, 'list'>
  readonly rootId: string
}

/** The time limit of one request; see `FolderListings.deadline`. */
export interface ListingDeadline {
  /** As performance.now(). */
  readonly untilMs: number
}

/**
 * Folders whose content the index does not have yet: new ones, those that were moved in, and all of
 * them during the first crawl. A process that needs the content of a folder lists it immediately,
 * without waiting for the crawl.
 */
export class FolderListings {
  readonly #options: FolderListingsOptions
  readonly #closed = new AbortController()
  readonly #underWay = new Map<string, Promise<void>>()

  constructor(options: FolderListingsOptions) {
    this.#options = options
  }

  /** The time limit of one request, for all its waits together. */
  deadline(): ListingDeadline {
    return { untilMs: performance.now() + waitMs }
  }

  /**
   * Resolves when the index has the content of these folders.
   *
   * @throws DriveError `busy` if that takes too long; the error of a listing.
   */
  async complete(folders: readonly string[], { untilMs }: ListingDeadline): Promise<void> {
    const unlisted = await this.#options.index.unlistedOf(folders)
    if (unlisted.length === 0) return
    const listings = Promise.all(unlisted.map((id) => this.#list(id)))
    try {
      await withinTime(listings, Math.max(0, untilMs - performance.now()))
    } catch (error) {
      throw error instanceof TimeLimitError ? tooSlow() : error
    }
  }

  async close(): Promise<void> {
    this.#closed.abort(new DriveError('unavailable', 'This drive is being closed.'))
    await Promise.allSettled(this.#underWay.values())
  }

  /** A listing continues after its requests have ended, so that the next request finds it done. */
  #list(id: string): Promise<void> {
    const running = this.#underWay.get(id)
    if (running !== undefined) return running
    if (this.#underWay.size >= maxConcurrent) return Promise.reject(tooSlow())
    const listing = this.#run(id).finally(() => this.#underWay.delete(id))
    this.#underWay.set(id, listing)
    listing.catch(() => undefined)
    return listing
  }

  async #run(id: string): Promise<void> {
    const { index, crawl, rootId } = this.#options
    this.#closed.signal.throwIfAborted()
    const state = await index.state(rootId)
    await crawl.list([id], state?.crawl ?? 0, this.#closed.signal)
  }
}

function tooSlow(): DriveError {
  const message = 'This folder on Google Drive is being listed for the first time. Try again soon.'
  return new DriveError('busy', message, { retryAfterSeconds: busyRetrySeconds })
}
