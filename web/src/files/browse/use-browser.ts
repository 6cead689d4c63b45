import { useLocalStorage } from '@mantine/hooks'
import { type MouseEvent, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { copyText } from '../../ui/copy/copy-text.ts'
import { showFailure, showSuccess } from '../../ui/messages.ts'
import { carry, put } from '../carry/clipboard.ts'
import { dragRows, dropTarget } from '../carry/drag.ts'
import type { PutMode } from '../change/move-plan.ts'
import { type Entry, type FolderEntry, parentOf } from '../entries/entry.ts'
import { actionObstacle, type EntryAction } from '../entries/entry-action.ts'
import { byName, inOrder, type Sort } from '../entries/entry-order.ts'
import { s3Uri } from '../entries/object-address.ts'
import { type Layout, layoutKey, parseLayout } from '../entries/stored-layout.ts'
import { parseSort, sortKey } from '../entries/stored-sort.ts'
import { isTyping, type Typed, typedIndex, typedMore } from '../entries/type-ahead.ts'
import { type FilesLocation, locationPath } from '../files-location.ts'
import { type FolderSizes, measure, useFolderSizes } from '../folder-sizes/folder-sizes.ts'
import type { RowActions } from '../grid/row-actions.ts'
import { type ShownListing, useFolderListing } from '../listing/use-folder-listing.ts'
import { download } from '../s3/download-files.ts'
import type { FilesNavigation } from '../use-files-location.ts'
import { type GridCommand, type GridShape, movedIndex } from './grid-command.ts'
import { focusNextList } from './next-focus.ts'
import { type ShownSelection, useSelection } from './use-selection.ts'

export interface BucketLocation extends FilesLocation {
  readonly bucket: string
}

/** The dialog that is open over a folder. */
type BrowserDialog =
  | { readonly type: 'new-folder' }
  | { readonly type: 'rename'; readonly entry: Entry }
  | { readonly type: 'move' | 'copy' | 'edit'; readonly entries: readonly Entry[] }
  | { readonly type: 'delete'; readonly entries: readonly Entry[] }
  | { readonly type: 'share'; readonly key: string }
  | { readonly type: 'folder-details'; readonly folder: FolderEntry }
  | { readonly type: 'search' }
  | { readonly type: 'deleted' }
  | { readonly type: 'help' }

/** The entries of an open menu, and where it is on the screen, in pixels. */
export interface MenuPosition {
  readonly entries: readonly Entry[]
  readonly x: number
  readonly y: number
}

/** The state and the actions of the open folder. */
export interface Browser {
  readonly location: BucketLocation
  readonly listing: ShownListing
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
  readonly closeMenu: () => void
  readonly openPrefix: (prefix: string) => void
  readonly view: FilesNavigation['view']
  readonly closeView: () => void
  readonly setFilter: (filter: string) => void
  readonly reload: () => void
  readonly act: (action: EntryAction, entries: readonly Entry[]) => void
  readonly onCommand: (command: GridCommand, shape: GridShape) => void
  readonly onFocusWanted: (key: string, isSelected: boolean) => void
}

export function useBrowser(
  location: BucketLocation,
  { open, view, closeView }: Omit<FilesNavigation, 'location'>,
): Browser {
  const { bucket, prefix, filter } = location
  const [sort, setSort] = useStored(sortKey, byName, parseSort)
  const [layout, setLayout] = useStored<Layout>(layoutKey, 'list', parseLayout)
  const [round, setRound] = useState(0)
  const [dialog, setDialog] = useState<BrowserDialog>()
  const [menu, setMenu] = useState<MenuPosition>()
  const order = useRef<readonly string[]>([])
  const dispatch = useRef<ShownSelection['dispatch']>(() => undefined)
  const onRemoved = useCallback(
    (keys: ReadonlySet<string>) => dispatch.current({ type: 'drop', keys, order: order.current }),
    [],
  )
  const listing = useFolderListing({ bucket, prefix, filter, round }, onRemoved)
  // Folders come first.
  const sizes = useFolderSizes(bucket, prefix, listing.entries[0]?.kind === 'folder')
  const entries = useMemo(
    () => inOrder(listing.entries, sort, sizes.counts),
    [listing.entries, sort, sizes.counts],
  )
  const picked = useSelection(entries)
  useEffect(() => {
    order.current = picked.keys
    dispatch.current = picked.dispatch
  }, [picked.keys, picked.dispatch])
  const openPrefix = useCallback(
    (target: string) => open({ bucket, prefix: target, filter: '' }),
    [bucket, open],
  )
  const act = useAct({ bucket, prefix, setDialog, openPrefix, view })
  const rowActions = useRowActions({ bucket, picked, act, setMenu })
  const onCommand = useCommands({ location, entries, picked, act, openPrefix, setMenu })
  return {
    ...{ location, listing, sizes, entries, sort, setSort, picked, rowActions, dialog, setDialog },
    ...{ menu, openPrefix, view, closeView, act, onCommand, layout, setLayout },
    onFocusWanted: useCallback(
      (key: string, isSelected: boolean) =>
        dispatch.current({ type: isSelected ? 'only' : 'activate', key }),
      [],
    ),
    closeMenu: useCallback(() => {
      setMenu(undefined)
      focusGrid()
    }, []),
    setFilter: useCallback(
      (text: string) => open({ bucket, prefix, filter: text }, { replace: true }),
      [bucket, prefix, open],
    ),
    reload: useCallback(() => setRound((before) => before + 1), []),
  }
}

/** A value that this browser remembers. Other open tabs keep their own. */
function useStored<Value>(
  key: string,
  defaultValue: Value,
  deserialize: (text: string | undefined) => Value,
) {
  const options = { key, defaultValue, deserialize }
  return useLocalStorage({ ...options, getInitialValueInEffect: false, sync: false })
}

interface ActParts {
  readonly bucket: string
  readonly prefix: string
  readonly setDialog: (dialog: BrowserDialog) => void
  readonly openPrefix: (prefix: string) => void
  readonly view: FilesNavigation['view']
}

function useAct({ bucket, prefix, setDialog, openPrefix, view }: ActParts): Browser['act'] {
  return useCallback(
    (action, entries) => {
      const [entry] = entries
      if (entry === undefined) return
      const obstacle = actionObstacle(action, entries)
      if (obstacle !== undefined) {
        showFailure('This is not possible', obstacle)
        return
      }
      const actions: Readonly<Record<EntryAction, () => void>> = {
        open: () => {
          if (entry.kind === 'folder') openPrefix(entry.key)
          else view(entry.name)
        },
        details: () => {
          if (entry.kind === 'file') view(entry.name)
          else setDialog({ type: 'folder-details', folder: entry })
        },
        download: () => void download(bucket, entries),
        share: () => setDialog({ type: 'share', key: entry.key }),
        'copy-uri': () => void copyUri(s3Uri(bucket, entry.key)),
        rename: () => setDialog({ type: 'rename', entry }),
        move: () => setDialog({ type: 'move', entries }),
        copy: () => setDialog({ type: 'copy', entries }),
        edit: () => setDialog({ type: 'edit', entries }),
        measure: () => measure(bucket, foldersOf(entries)),
        duplicate: () => put({ mode: 'copy', bucket, entries }, { bucket, prefix }),
        delete: () => setDialog({ type: 'delete', entries }),
      }
      actions[action]()
    },
    [bucket, prefix, setDialog, openPrefix, view],
  )
}

function foldersOf(entries: readonly Entry[]): readonly string[] {
  return entries.filter(({ kind }) => kind === 'folder').map(({ key }) => key)
}

async function copyUri(uri: string): Promise<void> {
  if (await copyText(uri)) showSuccess('S3 address copied.')
  else showFailure('The browser does not allow copying', uri)
}

interface RowParts {
  readonly bucket: string
  readonly picked: ShownSelection
  readonly act: Browser['act']
  readonly setMenu: (menu: MenuPosition) => void
}

/** Stable, so that rows are not rendered again; changing values are read on use. */
function useRowActions(parts: RowParts): RowActions {
  const latest = useRef(parts)
  useEffect(() => {
    latest.current = parts
  })
  return useMemo(
    () => ({
      onPress: (entry, event) => press(latest.current.picked, entry, event),
      onCheck: ({ key }, withShift) => {
        const { dispatch, keys } = latest.current.picked
        dispatch(withShift ? { type: 'range', key, order: keys } : { type: 'toggle', key })
      },
      onOpen: (entry) => latest.current.act('open', [entry]),
      onMenu: (entry, at) =>
        latest.current.setMenu({ ...at, entries: meant(latest.current.picked, entry) }),
      onDrag: (entry, event) => {
        const { bucket, picked } = latest.current
        dragRows(event, { bucket, entries: meant(picked, entry) })
      },
      dropsOn: ({ key }) => dropTarget({ bucket: latest.current.bucket, prefix: key }),
      hrefOf: ({ key }) => locationPath({ bucket: latest.current.bucket, prefix: key, filter: '' }),
    }),
    [],
  )
}

function press({ dispatch, keys }: ShownSelection, { key }: Entry, event: MouseEvent): void {
  if (event.shiftKey) dispatch({ type: 'range', key, order: keys })
  else if (event.ctrlKey || event.metaKey) dispatch({ type: 'toggle', key })
  else dispatch({ type: 'only', key })
}

/** A menu on one of several selected entries applies to all of them. */
function meant({ selection, selected, dispatch }: ShownSelection, entry: Entry): readonly Entry[] {
  if (selection.selected.has(entry.key)) return selected
  dispatch({ type: 'only', key: entry.key })
  return [entry]
}

interface CommandParts {
  readonly location: BucketLocation
  readonly entries: readonly Entry[]
  readonly picked: ShownSelection
  readonly act: Browser['act']
  readonly openPrefix: (prefix: string) => void
  readonly setMenu: (menu: MenuPosition) => void
}

function useCommands(parts: CommandParts): Browser['onCommand'] {
  const { location, entries, picked, act, openPrefix, setMenu } = parts
  const { bucket, prefix } = location
  const typing = useTyping(parts)
  return (command, shape) => {
    const { dispatch, keys, activeIndex, selected } = picked
    const active = entries[activeIndex]
    const subjects = selected.length > 0 ? selected : active === undefined ? [] : [active]
    if (command.type === 'move') {
      const bounds = { ...shape, index: activeIndex, count: keys.length }
      const key = keys[movedIndex(command.to, bounds)]
      if (key === undefined) return
      dispatch(command.extends ? { type: 'range', key, order: keys } : { type: 'activate', key })
      return
    }
    if (typing(command)) return
    const take = (mode: PutMode) =>
      subjects.length > 0 && carry({ mode, bucket, entries: subjects })
    const commands = {
      type: () => undefined,
      open: () => {
        if (active === undefined) return
        if (active.kind === 'folder') focusNextList('')
        act('open', [active])
      },
      up: () => goUp(prefix, openPrefix),
      toggle: () => active !== undefined && dispatch({ type: 'toggle', key: active.key }),
      all: () => dispatch({ type: 'all', order: keys }),
      none: () => dispatch({ type: 'none' }),
      cut: () => void take('move'),
      copy: () => void take('copy'),
      delete: () => act('delete', subjects),
      rename: () => active !== undefined && act('rename', [active]),
      menu: () => setMenu({ entries: subjects, ...activePlace() }),
    }
    commands[command.type]()
  }
}

/** Goes to the row whose name is being typed. Returns whether the command was a letter of the name. */
function useTyping({ entries, picked }: CommandParts): (command: GridCommand) => boolean {
  const typed = useRef<Typed>({ text: '', atMs: 0 })
  return (command) => {
    const nowMs = performance.now()
    const isWithin = isTyping(typed.current, nowMs)
    const space = command.type === 'toggle' && isWithin ? ' ' : undefined
    const letter = command.type === 'type' ? command.letter : space
    if (letter === undefined) return false
    typed.current = typedMore(typed.current, letter, nowMs)
    const key = picked.keys[typedIndex(entries, picked.activeIndex, typed.current.text)]
    if (key !== undefined) picked.dispatch({ type: 'activate', key })
    return true
  }
}

/** Opens the parent folder and moves the keyboard position to the folder that was left. */
export function goUp(prefix: string, openPrefix: (prefix: string) => void): void {
  if (prefix === '') return
  focusNextList(prefix)
  openPrefix(parentOf(prefix))
}

/** Returns the focus to the list. */
export function focusGrid(): void {
  document.querySelector<HTMLElement>('[data-files-grid]')?.focus({ preventScroll: true })
}

/** The screen position of the active row. */
function activePlace(): { x: number; y: number } {
  const row = document.querySelector('[data-files-grid] [data-active]')
  const { left, bottom } = row?.getBoundingClientRect() ?? { left: 0, bottom: 0 }
  return { x: left + 40, y: bottom }
}
