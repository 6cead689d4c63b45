import type { Entry } from '../entries/entry.ts'
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

/** The move of a file or tree from one key or prefix to another. */
export interface Move {
  readonly kind: Entry['kind']
  readonly fromBucket: string
  readonly from: string
  readonly toBucket: string
  readonly to: string
}

/** Why a move is not possible; undefined: it is possible. */
export type MoveObstacle = 'same-folder' | 'into-itself' | 'too-long' | undefined

export function moveTo(entry: Entry, bucket: string, target: FolderAddress): Move {
  const slash = entry.kind === 'folder' ? '/' : ''
  return {
    kind: entry.kind,
    fromBucket: bucket,
    from: entry.key,
    toBucket: target.bucket,
    to: target.prefix + entry.name + slash,
  }
}

export function renameTo(entry: Entry, bucket: string, name: string): Move {
  const slash = entry.kind === 'folder' ? '/' : ''
  const folder = entry.key.slice(0, entry.key.length - entry.name.length - slash.length)
  return {
    kind: entry.kind,
    fromBucket: bucket,
    from: entry.key,
    toBucket: bucket,
    to: folder + name + slash,
  }
}

export function obstacleOf({ kind, fromBucket, from, toBucket, to }: Move): MoveObstacle {
  if (fromBucket === toBucket) {
    if (from === to) return 'same-folder'
    // The listing would include the objects that were just copied.
    if (kind === 'folder' && to.startsWith(from)) return 'into-itself'
  }
  return keyBytes(to) > maxKeyBytes ? 'too-long' : undefined
}

/** The new key of an object of the tree. */
export function movedKey({ from, to }: Move, key: string): string {
  return to + key.slice(from.length)
}

/** Why a name is invalid for a file or folder; undefined: it is valid. */
export function nameProblem(name: string): string | undefined {
  if (name === '') return 'Enter a name.'
  if (name.includes('/')) return 'A name cannot contain a slash. To change the folder, use Move.'
  if (name === '.' || name === '..') return 'Browsers cannot open a path with “.” or “..” in it.'
  if (!name.isWellFormed()) return 'The name contains an invalid character.'
  return undefined
}
