import type { GoogleApi } from '../api/google-api.ts'
import { type Change, folderType, type GoogleFile } from '../api/google-file.ts'
import type { DriveIndex, HiddenFile, IndexedFile, KeptAttributes } from './drive-index.ts'
import { indexedFile, needsKeptAttributes } from './indexed-file.ts'
import { sortNameOf } from './sort-name.ts'

export interface ChangeApplierOptions {
  readonly api: Pick<GoogleApi, 'findFile'>
  readonly index: DriveIndex
  readonly rootId: string
  /** Whether a folder of this name below the root is a bucket's or contains one. */
  readonly isBucket: (name: string) => boolean
}

export interface SortedChanges {
  readonly files: readonly IndexedFile[]
  readonly hidden: readonly HiddenFile[]
  /** Folders that the index hides although a file in them is not hidden. */
  readonly doubtful: readonly string[]
}

/** Applies Google's information about files to the index. */
export class ChangeApplier {
  readonly #options: ChangeApplierOptions

  constructor(options: ChangeApplierOptions) {
    this.#options = options
  }

  /** Sorts changes into visible and hidden files; files outside the drive are ignored. */
  async sort(changes: readonly Change[]): Promise<SortedChanges> {
    const { index } = this.#options
    const parents = changes.flatMap(({ file }) => file?.parents ?? [])
    const ids = [...new Set([...changes.map((change) => change.fileId), ...parents])]
    const known = new Map((await index.getMany(ids)).map((row) => [row.id, row]))
    const kept = await this.#keptFor(changes.flatMap(({ file }) => file ?? []))
    const files: IndexedFile[] = []
    const hidden: HiddenFile[] = []
    const doubtful = new Set<string>()
    for (const { fileId, file } of parentsFirst(changes)) {
      const row =
        file && this.#isBelow(file, known)
          ? indexedFile(file, kept.get(`${file.id} ${file.md5Checksum}`))
          : undefined
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
  async listed(files: readonly GoogleFile[]): Promise<IndexedFile[]> {
    const kept = await this.#keptFor(files)
    return files.flatMap(
      (file) => indexedFile(file, kept.get(`${file.id} ${file.md5Checksum}`)) ?? [],
    )
  }

  /** Reads the file from Google and stores it. Undefined if it is no longer an object. */
  async refresh(
    id: string,
    signal?: AbortSignal,
  ): Promise<{ readonly file: GoogleFile; readonly row: IndexedFile } | undefined> {
    const file = await this.#options.api.findFile(id, { signal })
    const change = { fileId: id, ...(file && { file }) }
    const { files, hidden, doubtful } = await this.sort([change])
    await this.#options.index.save(files, hidden)
    for (const folder of doubtful) await this.refresh(folder, signal)
    const [row] = files
    return file && row && { file, row }
  }

  #isBelow(file: GoogleFile, known: ReadonlyMap<string, IndexedFile>): boolean {
    const { rootId, isBucket } = this.#options
    const [parent = ''] = file.parents
    if (parent !== rootId) return known.get(parent)?.kind === 'folder'
    if (file.mimeType !== folderType) return false
    // Another process may have added the bucket a moment ago: then its folder is in the index.
    const row = known.get(file.id)
    const isKnown = row?.parent === rootId && row.sortName === sortNameOf(file.name, 'folder')
    return isKnown || isBucket(file.name)
  }

  async #keptFor(files: readonly GoogleFile[]): Promise<Map<string, KeptAttributes>> {
    const ids = files.filter(needsKeptAttributes).map((file) => file.id)
    const kept = ids.length === 0 ? [] : await this.#options.index.keptAttributes(ids)
    return new Map(kept.map((one) => [`${one.id} ${one.md5}`, one]))
  }
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
