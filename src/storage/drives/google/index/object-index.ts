import { DriveError } from '../../drive-error.ts'
import { type GooglePath, googlePathOf } from '../google-names.ts'
import type { GoogleTree } from './apply-changes.ts'
import { type DriveIndex, type IndexedFile, sortNameOf } from './drive-index.ts'
import type { FolderListings } from './folder-listings.ts'
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
