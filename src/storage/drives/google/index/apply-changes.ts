import type { Log } from '../../../../platform/process/log.ts'

import type { GoogleApi } from '../api/google-api.ts'
import { type Change, folderType, type GoogleFile } from '../api/google-file.ts'
import { type DriveIndex, type HiddenFile, type IndexedFile, sortNameOf } from './drive-index.ts'
import { indexedFile, needsKeptAttributes } from './indexed-file.ts'

/** The folders and files of a drive on Google, and the index that mirrors them. */
export interface GoogleTree {
  readonly api: GoogleApi
  readonly index: DriveIndex
  /** The id of the folder that holds the buckets' folders. */
  readonly rootId: string
  /** The names of folders below the root that are buckets or contain them. */
  readonly buckets: Set<string>
  readonly log: Pick<Log, 'info' | 'warn'>
}

interface SortedChanges {
  readonly files: readonly IndexedFile[]
  readonly hidden: readonly HiddenFile[]
  /** Folders that the index hides although a file in them is not hidden. */
  readonly doubtful: readonly string[]
}

/** Sorts changes into visible and hidden files; files outside the drive are ignored. */
export async function sortChanges(
  tree: GoogleTree,
  changes: readonly Change[],
): Promise<SortedChanges> {
  const { index } = tree
  const parents = changes.flatMap(({ file }) => file?.parents ?? [])
  const ids = [...new Set([...changes.map((change) => change.fileId), ...parents])]
  const known = new Map((await index.getMany(ids)).map((row) => [row.id, row]))
  const rowOf = await rowReader(
    tree,
    changes.flatMap(({ file }) => file ?? []),
  )
  const files: IndexedFile[] = []
  const hidden: HiddenFile[] = []
  const doubtful = new Set<string>()
  for (const { fileId, file } of parentsFirst(changes)) {
    const row = file && isBelow(tree, file, known) ? rowOf(file) : undefined
    const before = known.get(fileId)
    const [parent = ''] = file?.parents ?? []
    if (row !== undefined && known.get(parent)?.parent === '') doubtful.add(parent)
    if (row !== undefined) {
      files.push(row)
      known.set(fileId, row)
    } else if (before) hidden.push({ id: fileId, version: file?.version ?? before.version })
  }
  return { files, hidden, doubtful: [...doubtful] }
}

/** Rows for files that were found in a folder of the index. */
export async function listedRows(
  tree: GoogleTree,
  files: readonly GoogleFile[],
): Promise<IndexedFile[]> {
  const rowOf = await rowReader(tree, files)
  return files.flatMap((file) => rowOf(file) ?? [])
}

/** Stores files that were found in a folder of the index, and returns their rows. */
export async function saveFound(
  tree: GoogleTree,
  files: readonly GoogleFile[],
): Promise<IndexedFile[]> {
  const rows = await listedRows(tree, files)
  await tree.index.save(rows, [])
  return rows
}

/** Reads the file from Google and stores it. Undefined if it is no longer an object. */
export async function refreshFile(
  tree: GoogleTree,
  id: string,
  signal?: AbortSignal,
): Promise<{ readonly file: GoogleFile; readonly row: IndexedFile } | undefined> {
  const file = await tree.api.findFile(id, { signal })
  const change = { fileId: id, ...(file && { file }) }
  const { files, hidden, doubtful } = await sortChanges(tree, [change])
  await tree.index.save(files, hidden)
  for (const folder of doubtful) await refreshFile(tree, folder, signal)
  const [row] = files
  return file && row && { file, row }
}

function isBelow(
  { rootId, buckets }: GoogleTree,
  file: GoogleFile,
  known: ReadonlyMap<string, IndexedFile>,
): boolean {
  const [parent = ''] = file.parents
  if (parent !== rootId) return known.get(parent)?.kind === 'folder'
  if (file.mimeType !== folderType) return false
  // If another process has just added the bucket, its folder is in the index.
  const row = known.get(file.id)
  const isKnown = row?.parent === rootId && row.sortName === sortNameOf(file.name, 'folder')
  return isKnown || buckets.has(file.name)
}

/** Returns a function for the rows of these files, with attributes that are only in the database. */
async function rowReader({ index }: GoogleTree, files: readonly GoogleFile[]) {
  const ids = files.filter(needsKeptAttributes).map((file) => file.id)
  const found = ids.length === 0 ? [] : await index.keptAttributes(ids)
  const kept = new Map(found.map((one) => [`${one.id} ${one.md5}`, one]))
  return (file: GoogleFile) => indexedFile(file, kept.get(`${file.id} ${file.md5Checksum}`))
}

/**
 * The last change of each file, and a folder's change before those of its content: the feed lists a
 * folder by its last change, which may be after the files that were added to it.
 */
function parentsFirst(changes: readonly Change[]): Change[] {
  const waiting = new Map(changes.map((change) => [change.fileId, change]))
  const ordered: Change[] = []
  for (let before = -1; before !== ordered.length; ) {
    before = ordered.length
    for (const change of waiting.values()) {
      const [parent = ''] = change.file?.parents ?? []
      if (waiting.has(parent)) continue
      ordered.push(change)
      waiting.delete(change.fileId)
    }
  }
  // The rest are folders that were moved into each other meanwhile.
  return [...ordered, ...waiting.values()]
}
