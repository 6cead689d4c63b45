import type { ObjectName } from '../../drive.ts'
import { type GoogleApi, queryLiteral } from '../api/google-api.ts'
import { googlePathOf, nameOfDeepSegment, nameOfSegment } from '../google-names.ts'
import type { ChangeApplier } from './change-applier.ts'
import type { IndexedFile } from './drive-index.ts'
import { folderPages, onlyFolders } from './folder-pages.ts'
import type { ObjectIndex } from './object-index.ts'
import { sortNameOf } from './sort-name.ts'

export interface MissedFilesOptions {
  readonly api: Pick<GoogleApi, 'listFiles'>
  readonly objects: ObjectIndex
  readonly applier: ChangeApplier
  /** Whether the feed was read recently. */
  readonly isFresh: () => Promise<boolean>
}

/**
 * Finds files on Google that the index may lack. If the feed was not read recently, writers look
 * for them before they create a file or folder, to avoid duplicates.
 */
export class MissedFiles {
  readonly #options: MissedFilesOptions

  constructor(options: MissedFilesOptions) {
    this.#options = options
  }

  /** Looks for an object of this name; true if it may now be in the index. */
  async findObject({ bucket, key }: ObjectName): Promise<boolean> {
    const { api, objects, isFresh } = this.#options
    if (await isFresh()) return false
    const { folders, segment, isDeep } = googlePathOf(key)
    const name = isDeep ? nameOfDeepSegment(segment) : nameOfSegment(segment)
    let isFound = false
    for (const folder of await this.#path(bucket, folders)) {
      // The first pages may be empty.
      for await (const files of folderPages(api, folder, {
        where: `name = ${queryLiteral(name)}`,
      })) {
        const rows = await this.#options.applier.listed(files)
        await objects.index.save(rows, [])
        isFound ||= rows.length > 0
      }
    }
    return isFound
  }

  /** Folders with this segment in that folder, if the index may lack some. */
  async findFolders(parent: string, segment: string): Promise<IndexedFile[]> {
    const { objects, isFresh } = this.#options
    const isKnown = (await objects.index.unlistedOf([parent])).length === 0
    return isKnown && (await isFresh()) ? [] : await this.#foldersIn(parent, segment)
  }

  /** Ids of the folders with these segments; empty when Google has none. */
  async #path(bucket: string, segments: readonly string[]): Promise<string[]> {
    const { objects } = this.#options
    let ids = (await objects.requireBucket(bucket)).map((folder) => folder.id)
    for (const segment of segments) {
      let found = await objects.foldersIn(ids, segment)
      for (const id of found.length === 0 ? ids : []) {
        found = [...found, ...(await this.#foldersIn(id, segment))]
      }
      ids = found.map((folder) => folder.id)
    }
    return ids
  }

  /** Lists the parent folder, because queries by name lag. */
  async #foldersIn(parent: string, segment: string): Promise<IndexedFile[]> {
    const { api, objects, applier } = this.#options
    const sortName = sortNameOf(segment, 'folder')
    const found: IndexedFile[] = []
    for await (const files of folderPages(api, parent, { where: onlyFolders })) {
      const rows = await applier.listed(files)
      await objects.index.save(rows, [])
      found.push(...rows.filter((folder) => folder.sortName === sortName))
    }
    return found
  }
}
