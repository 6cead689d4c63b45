import type { Entry, FileEntry, FolderEntry } from '../entries/entry.ts'
import type { EntryAction } from '../entries/entry-action.ts'
import type { Sort } from '../entries/entry-order.ts'
import type { Layout } from '../entries/stored-layout.ts'
import type { FilesLocation } from '../files-location.ts'
import type { FolderSizes } from '../folder-sizes/folder-sizes.ts'
import type { RowActions } from '../grid/row-actions.ts'
import type { ShownListing } from '../listing/use-folder-listing.ts'
import type { Search } from '../search/use-search.ts'
import type { FilesNavigation } from '../use-files-location.ts'
import type { GridCommand, GridShape } from './grid-command.ts'
import type { ShownSelection } from './use-selection.ts'

export interface BucketLocation extends FilesLocation {
  /** '' in a search of all buckets that began in their list. */
  readonly bucket: string
}

/** The dialog that is open over a folder. */
export type BrowserDialog =
  | { readonly type: 'new'; readonly kind: 'folder' | 'file' }
  | { readonly type: 'rename'; readonly bucket: string; readonly entry: Entry }
  | {
      readonly type: 'move' | 'copy' | 'edit' | 'delete' | 'erase'
      readonly bucket: string
      readonly entries: readonly Entry[]
    }
  | { readonly type: 'share'; readonly bucket: string; readonly keys: readonly string[] }
  | { readonly type: 'details' | 'write'; readonly bucket: string; readonly file: FileEntry }
  | { readonly type: 'folder-details'; readonly bucket: string; readonly folder: FolderEntry }
  | { readonly type: 'deleted' }
  | { readonly type: 'help' }

/** Menus that belong to the folder: what can be added, what can be done, and the folders above it. */
export type FolderMenuType = 'new' | 'folder' | 'path'

interface ShownFolder {
  readonly name: string
  readonly href: string
}

/** An open menu, and where it is on the screen, in pixels. */
export type MenuPosition = {
  readonly x: number
  readonly y: number
  /** Of the button that the menu is below; 0 at a point. */
  readonly width?: number
  /** Takes the focus when the menu closes; by default the list. */
  readonly opener?: HTMLElement
} & (
  | { readonly type: 'entries'; readonly entries: readonly Entry[] }
  | { readonly type: FolderMenuType; readonly folders?: readonly ShownFolder[] }
)

/** The state and the actions of the open folder. */
export interface Browser {
  readonly location: BucketLocation
  readonly listing: ShownListing
  /** The search whose results are shown; undefined in a folder. */
  readonly search: Search | undefined
  readonly sizes: FolderSizes
  /** In the shown order. */
  readonly entries: readonly Entry[]
  readonly sort: Sort
  readonly setSort: (sort: Sort) => void
  readonly layout: Layout
  readonly setLayout: (layout: Layout) => void
  readonly picked: ShownSelection
  readonly rowActions: RowActions
  readonly dialog: BrowserDialog | undefined
  readonly setDialog: (dialog: BrowserDialog | undefined) => void
  readonly menu: MenuPosition | undefined
  readonly openMenu: (menu: MenuPosition) => void
  readonly closeMenu: () => void
  /** False in an unknown bucket, and in search results without a folder. */
  readonly mayChange: boolean
  readonly openPrefix: (prefix: string, bucket?: string) => void
  readonly view: FilesNavigation['view']
  readonly closeView: () => void
  /** Changes the filter or the place of the search. */
  readonly setFilter: (change: Partial<FilesLocation>) => void
  readonly reload: () => void
  readonly act: (action: EntryAction, entries: readonly Entry[]) => void
  readonly onCommand: (command: GridCommand, shape: GridShape) => void
  readonly onFocusWanted: (key: string, isSelected: boolean) => void
}
