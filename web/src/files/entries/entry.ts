/** Separates folders in a key. */
export const delimiter = '/'

interface Found {
  /** The bucket of a search result; undefined in the list of a folder. */
  readonly bucket?: string
}

export interface FileEntry extends Found {
  readonly kind: 'file'
  /** The full key, unencoded. */
  readonly key: string
  /** The key without the folder. */
  readonly name: string
  /** Bytes. */
  readonly size: number
  /** When it was stored. */
  readonly modifiedAtMs: number
  /** When the file was modified before its upload; absent if that is not known. */
  readonly fileTimeMs?: number
  /** Without quotes. */
  readonly etag: string
}

export interface FolderEntry extends Found {
  readonly kind: 'folder'
  /** The prefix of everything in it: ends in a slash. */
  readonly key: string
  /** Without the slash. */
  readonly name: string
}

export type Entry = FileEntry | FolderEntry

/** The time that is shown as *Modified*, milliseconds since the epoch. */
export function modifiedOf(file: Pick<FileEntry, 'modifiedAtMs' | 'fileTimeMs'>): number {
  return file.fileTimeMs ?? file.modifiedAtMs
}

/** Identifies an entry in a list: its key, and in search results of several buckets its bucket. */
export function entryId({ bucket, key }: Pick<Entry, 'bucket' | 'key'>): string {
  return bucket === undefined ? key : `${bucket}/${key}`
}

export function folderEntry(key: string, prefix: string): FolderEntry {
  return { kind: 'folder', key, name: key.slice(prefix.length, -delimiter.length) }
}

interface Crumb {
  readonly name: string
  readonly prefix: string
}

/** The parent folders and the folder itself; empty for the root of the bucket. */
export function crumbsOf(prefix: string): readonly Crumb[] {
  const names = prefix.split(delimiter).slice(0, -1)
  let path = ''
  return names.map((name) => {
    path += name + delimiter
    return { name, prefix: path }
  })
}

/** The parent folder of a file or folder key; '' is the root of the bucket. */
export function parentOf(key: string): string {
  const end = key.endsWith(delimiter) ? key.length - delimiter.length : key.length
  // lastIndexOf treats a negative position as 0.
  return end === 0 ? '' : key.slice(0, key.lastIndexOf(delimiter, end - 1) + 1)
}

/** The folder that all these keys are in; undefined if they are in several. */
export function sharedParent(keys: readonly string[]): string | undefined {
  const parents = new Set(keys.map(parentOf))
  return parents.size === 1 ? [...parents][0] : undefined
}

/** The last part of a key, without the slash of a folder. */
export function nameOf(key: string): string {
  const name = key.slice(parentOf(key).length)
  return key.endsWith(delimiter) ? name.slice(0, -delimiter.length) : name
}

/**
 * The entry in the folder `prefix` for an object with this key; undefined if the key lies elsewhere
 * or is the marker of the folder.
 */
export function entryWithin(
  prefix: string,
  file: Omit<FileEntry, 'kind' | 'name'>,
): Entry | undefined {
  if (!file.key.startsWith(prefix) || file.key === prefix) return undefined
  const rest = file.key.slice(prefix.length)
  const end = rest.indexOf(delimiter)
  if (end >= 0) return folderEntry(prefix + rest.slice(0, end + 1), prefix)
  return { ...file, kind: 'file', name: rest }
}
