import { filesTexts } from '../../texts/files.ts'
import type { Entry } from './entry.ts'

/** The number of folders and files: "2 folders", "1 file", or both. */
export function entryCounts(entries: readonly Entry[]): readonly string[] {
  const folders = entries.filter(({ kind }) => kind === 'folder').length
  const files = entries.length - folders
  return [
    ...(folders > 0 ? [filesTexts.folders(folders)] : []),
    ...(files > 0 ? [filesTexts.files(files)] : []),
  ]
}
