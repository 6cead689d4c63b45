/** What ends a folder in a key. */
export const delimiter = '/'

export interface FileEntry {
  readonly kind: 'file'
  /** The whole key, raw. */
  readonly key: string
  /** What follows the folder in the key. */
  readonly name: string
  /** Bytes. */
  readonly size: number
  readonly modifiedAtMs: number
  /** Without quotes. */
  readonly etag: string
}

export interface FolderEntry {
  readonly kind: 'folder'
  /** The prefix of everything in it: ends in a slash. */
  readonly key: string
  /** Without the slash. */
  readonly name: string
}

export type Entry = FileEntry | FolderEntry

export function folderEntry(key: string, prefix: string): FolderEntry {
  return { kind: 'folder', key, name: key.slice(prefix.length, -delimiter.length) }
}

export interface Crumb {
  readonly name: string
  readonly prefix: string
}

/** The folders on the way to this one, itself last; none for the bucket's top. */
export function crumbsOf(prefix: string): readonly Crumb[] {
  const names = prefix.split(delimiter).slice(0, -1)
  let path = ''
  return names.map((name) => {
    path += name + delimiter
    return { name, prefix: path }
  })
}

/** The folder that holds this key, be it that of a file or of a folder; '' is the bucket's top. */
export function parentOf(key: string): string {
  const end = key.endsWith(delimiter) ? key.length - delimiter.length : key.length
  // lastIndexOf takes a negative position for the first one.
  return end === 0 ? '' : key.slice(0, key.lastIndexOf(delimiter, end - 1) + 1)
}

/** The last part of a key, without the slash of a folder. */
export function nameOf(key: string): string {
  const name = key.slice(parentOf(key).length)
  return key.endsWith(delimiter) ? name.slice(0, -delimiter.length) : name
}

/**
 * The entry that appears in the folder `prefix` once there is an object of this key; undefined when
 * it lies elsewhere, or is the folder's own marker.
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
