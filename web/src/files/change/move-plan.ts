import { type Entry, parentOf } from '../entries/entry.ts'
import { keyBytes, maxKeyBytes } from '../entries/object-address.ts'
import { visibleName } from '../entries/visible-name.ts'

export interface FolderAddress {
  readonly bucket: string
  /** '' or ends in a slash. */
  readonly prefix: string
}

/** The shown form: `photos`, `photos/2024/`. */
export function folderLabel({ bucket, prefix }: FolderAddress): string {
  return visibleName(prefix === '' ? bucket : `${bucket}/${prefix}`)
}

/** The move of a file or tree. */
export interface Move {
  readonly entry: Entry
  readonly fromBucket: string
  readonly toBucket: string
  /** The new key of a file, or the new prefix of a folder. */
  readonly to: string
}

/** Whether the entries leave their folder. */
export type PutMode = 'move' | 'copy'

/** Why a move is not possible; undefined if it is. */
export type MoveObstacle = 'same-folder' | 'into-itself' | 'too-long' | undefined

/** Moves an entry to a folder, under its own name or another one. */
export function moveTo(
  entry: Entry,
  fromBucket: string,
  { bucket, prefix }: FolderAddress,
  name = entry.name,
): Move {
  const slash = entry.kind === 'folder' ? '/' : ''
  return { entry, fromBucket, toBucket: bucket, to: prefix + name + slash }
}

export function renameTo(entry: Entry, bucket: string, name: string): Move {
  return moveTo(entry, bucket, { bucket, prefix: parentOf(entry.key) }, name)
}

export function obstacleOf({ entry, fromBucket, toBucket, to }: Move): MoveObstacle {
  if (fromBucket === toBucket) {
    if (entry.key === to) return 'same-folder'
    // The listing would include the objects that were just copied.
    if (entry.kind === 'folder' && to.startsWith(entry.key)) return 'into-itself'
  }
  return keyBytes(to) > maxKeyBytes ? 'too-long' : undefined
}

/** The new key of an object of the tree. */
export function movedKey({ entry, to }: Move, key: string): string {
  return to + key.slice(entry.key.length)
}
