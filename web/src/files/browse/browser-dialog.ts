import type { Entry, FolderEntry } from '../entries/entry.ts'

/** The dialog that is open over a folder. */
export type BrowserDialog =
  | { readonly type: 'new-folder' }
  | { readonly type: 'rename'; readonly entry: Entry }
  | { readonly type: 'move'; readonly entries: readonly Entry[] }
  | { readonly type: 'delete'; readonly entries: readonly Entry[] }
  | { readonly type: 'share'; readonly key: string }
  | { readonly type: 'folder-details'; readonly folder: FolderEntry }
  | { readonly type: 'help' }
