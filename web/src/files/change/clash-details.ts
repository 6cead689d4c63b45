import { formatBytes } from '../../format/bytes.ts'
import type { FileEntry } from '../entries/entry.ts'
import { formatModified } from '../entries/modified-time.ts'
import type { MoveClash } from './move-tree.ts'

/** Size and date of both files, for comparison. */
export function clashDetails({ file, there }: Pick<MoveClash, 'file' | 'there'>): string[] {
  return [`Existing: ${factsOf(there)}`, `Moved: ${factsOf(file)}`]
}

function factsOf({ size, modifiedAtMs }: Pick<FileEntry, 'size' | 'modifiedAtMs'>): string {
  return [formatBytes(size), formatModified(modifiedAtMs)].filter(Boolean).join(', ')
}
