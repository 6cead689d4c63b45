/**
 * Finds files on Google that the index may lack. If the feed was not read recently, writers look
 * for them before they create a file or folder, to avoid duplicates.
 */
import type { ObjectName } from '../../drive.ts'
import { queryLiteral } from '../api/google-api.ts'
import { googlePathOf } from '../google-names.ts'
import { nameOf } from '../objects/file-metadata.ts'
import { type GoogleTree, saveFound } from './apply-changes.ts'
import { type IndexedFile, sortNameOf } from './drive-index.ts'
import { folderPages, onlyFolders } from './folder-pages.ts'
import type { OpenIndex } from './open-index.ts'

/** Looks for an object of this name; true if it may now be in the index. */
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

/** Folders with this segment in that folder, if the index may lack some. */
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
