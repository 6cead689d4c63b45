import type { ObjectName } from '../../drive.ts'
import { DriveError } from '../../drive-error.ts'
import { queryLiteral } from '../api/google-api.ts'
import { type GooglePath, googlePathOf } from '../google-names.ts'
import { nameOf } from '../objects/file-metadata.ts'
import { type GoogleTree, saveFound } from './apply-changes.ts'
import { type DriveIndex, type IndexedFile, sortNameOf } from './drive-index.ts'
import { folderPages, onlyFolders } from './folder-pages.ts'
import { FolderListings, IndexCrawl } from './index-crawl.ts'
import { IndexSync } from './index-sync.ts'
import { newestFirst, oldestFirst } from './indexed-file.ts'

/** Duplicates of an object are logged once, for at most this many objects. */
const maxReported = 1_000

/** Buckets and keys in the index. */
export class ObjectIndex {
  readonly index: DriveIndex
  readonly listings: FolderListings
  readonly #tree: GoogleTree
  readonly #reported = new Set<string>()

  constructor(tree: GoogleTree, listings: FolderListings) {
    this.index = tree.index
    this.listings = listings
    this.#tree = tree
  }

  /**
   * The object's file first, then its duplicates, which are not visible. Empty if there is no
   * object.
   *
   * @throws DriveError `busy` if listing a folder for it takes too long.
   */
  async find(bucket: string, key: string): Promise<IndexedFile[]> {
    const { folders, segment } = googlePathOf(key)
    const path = [...folderPath(bucket, folders), sortNameOf(segment, 'file')]
    const found = await this.#find(bucket, folders, path)
    if (found.length === 0) await this.requireBucket(bucket)
    if (found.length < 2) return found
    const sorted = newestFirst(found)
    this.#report(`${bucket}/${key}`, sorted)
    return sorted
  }

  async #find(
    bucket: string,
    folders: readonly string[],
    path: readonly string[],
  ): Promise<IndexedFile[]> {
    const { files, isSure } = await this.index.look([this.#tree.rootId], path, 'file')
    if (files.length > 0 || isSure) return files
    await this.complete(bucket, folders)
    return await this.index.find([this.#tree.rootId], path, 'file')
  }

  /**
   * Resolves when the index has the content of the bucket's folder and of the folders at this path.
   *
   * @throws DriveError `busy` if that takes too long.
   */
  async complete(bucket: string, segments: readonly string[]): Promise<void> {
    const deadline = this.listings.deadline()
    let ids: readonly string[] = [this.#tree.rootId]
    for (const step of folderPath(bucket, segments)) {
      ids = (await this.index.find(ids, [step], 'folder')).map((folder) => folder.id)
      if (ids.length === 0) return
      await this.listings.complete(ids, deadline)
    }
  }

  /** The folders with this path below the bucket's folder; several if folders share a name. */
  async folders(bucket: string, segments: readonly string[]): Promise<IndexedFile[]> {
    const path = folderPath(bucket, segments)
    const found = await this.index.find([this.#tree.rootId], path, 'folder')
    return found.length < 2 ? found : oldestFirst(found)
  }

  /** The folders with this segment in any of these folders; new files are created in the first. */
  async foldersIn(ids: readonly string[], segment: string): Promise<IndexedFile[]> {
    return oldestFirst(await this.index.find(ids, [sortNameOf(segment, 'folder')], 'folder'))
  }

  /** @throws DriveError `no-bucket` if the bucket was removed, or a user has moved its folder away. */
  async requireBucket(bucket: string): Promise<IndexedFile[]> {
    const found = await this.folders(bucket, [])
    if (found.length > 0) return found
    throw new DriveError(
      'no-bucket',
      `The folder of bucket ${bucket} is missing on Google Drive: restore it from the trash, or ` +
        'restart to create an empty one.',
    )
  }

  #report(name: string, files: readonly IndexedFile[]): void {
    if (this.#reported.has(name) || this.#reported.size >= maxReported) return
    this.#reported.add(name)
    const ids = files.map((file) => file.id)
    this.#tree.log.warn(
      { object: name, fileIds: ids },
      `${ids.length} files on Google Drive have the name of one object: the newest one is used. ` +
        'Rename or delete the others.',
    )
  }
}

/** The sort names on the path from the root to a folder. */
function folderPath(bucket: string, segments: GooglePath['folders']): string[] {
  return [...bucket.split('/'), ...segments].map((segment) => sortNameOf(segment, 'folder'))
}

/** The index of an open drive, with its synchronization. */
export interface OpenIndex extends GoogleTree {
  readonly objects: ObjectIndex
  readonly listings: FolderListings
  readonly sync: IndexSync
  /** Wall clock, milliseconds since the epoch. */
  readonly now: () => number
}

type SyncOptions = Omit<ConstructorParameters<typeof IndexSync>[0], keyof GoogleTree | 'crawl'>

/** Opens the index of a tree. It is filled and kept up to date from `sync.start` on. */
export function openIndex(tree: GoogleTree, options: SyncOptions): OpenIndex {
  const crawl = new IndexCrawl(tree)
  const listings = new FolderListings({ ...tree, crawl })
  const objects = new ObjectIndex(tree, listings)
  const sync = new IndexSync({ ...tree, ...options, crawl })
  return { ...tree, objects, listings, sync, now: options.now }
}

/**
 * If the feed was not read recently, writers look on Google for files that the index may lack, so that
 * they create no duplicates.
 */

/** Looks for an object on Google; true if it may now be in the index. */
export async function findMissedObject(opened: OpenIndex, object: ObjectName): Promise<boolean> {
  if (await opened.sync.isFresh()) return false
  const where = `name = ${queryLiteral(nameOf(object).name)}`
  let isFound = false
  for (const folder of await pathTo(opened, object.bucket, googlePathOf(object.key).folders)) {
    // The first pages may be empty.
    for await (const files of folderPages(opened.api, folder, { where })) {
      const rows = await saveFound(opened, files)
      isFound ||= rows.length > 0
    }
  }
  return isFound
}

/** Folders with this segment on Google, if the index may lack some. */
export async function findMissedFolders(
  opened: OpenIndex,
  parent: string,
  segment: string,
): Promise<IndexedFile[]> {
  const isKnown = (await opened.index.unlistedOf([parent])).length === 0
  return isKnown && (await opened.sync.isFresh()) ? [] : await foldersIn(opened, parent, segment)
}

/** Ids of the folders with these segments; empty when Google has none. */
async function pathTo(
  opened: OpenIndex,
  bucket: string,
  segments: readonly string[],
): Promise<string[]> {
  const { objects } = opened
  let ids = (await objects.requireBucket(bucket)).map((folder) => folder.id)
  for (const segment of segments) {
    let found = await objects.foldersIn(ids, segment)
    for (const id of found.length === 0 ? ids : []) {
      found = [...found, ...(await foldersIn(opened, id, segment))]
    }
    ids = found.map((folder) => folder.id)
  }
  return ids
}

/** Lists the parent folder, because queries by name lag. */
async function foldersIn(
  tree: GoogleTree,
  parent: string,
  segment: string,
): Promise<IndexedFile[]> {
  const sortName = sortNameOf(segment, 'folder')
  const found: IndexedFile[] = []
  for await (const files of folderPages(tree.api, parent, { where: onlyFolders })) {
    const rows = await saveFound(tree, files)
    found.push(...rows.filter((folder) => folder.sortName === sortName))
  }
  return found
}
