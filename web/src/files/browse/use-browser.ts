import { useLocalStorage } from '@mantine/hooks'
import { type MouseEvent, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { useBuckets } from '../../api/service-queries.ts'
import { dragRows, dropTarget } from '../carry/drag.ts'
import { type Entry, entryId } from '../entries/entry.ts'
import { byName, inOrder, type Sort } from '../entries/entry-order.ts'
import { type Layout, layoutKey, parseLayout } from '../entries/stored-layout.ts'
import { parseSort, sortKey } from '../entries/stored-sort.ts'
import { type FilesLocation, isView, locationPath } from '../files-location.ts'
import { useFolderSizes } from '../folder-sizes/folder-sizes.ts'
import type { RowActions } from '../grid/row-actions.ts'
import type { FilesNavigation } from '../use-files-location.ts'
import type { Browser, BrowserDialog, BucketLocation, MenuPosition } from './browser.ts'
import { focusGrid } from './next-focus.ts'
import { useAct } from './use-act.ts'
import { useCommands } from './use-commands.ts'
import { useReveal } from './use-reveal.ts'
import { type ShownSelection, useSelection } from './use-selection.ts'
import { useShownEntries } from './use-shown-entries.ts'

export function useBrowser(
  location: BucketLocation,
  { open, view, closeView }: Omit<FilesNavigation, 'location'>,
): Browser {
  const { bucket, prefix } = location
  const [sort, setSort] = useSort(location)
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
  const { listing, search, found } = useShownEntries(location, round, onRemoved)
  // Folders come first.
  const hasFolders = search === undefined && listing.entries[0]?.kind === 'folder'
  const sizes = useFolderSizes(bucket, prefix, hasFolders)
  const entries = useMemo(() => inOrder(found, sort, sizes.counts), [found, sort, sizes.counts])
  const picked = useSelection(entries)
  useReveal(location, picked)
  useEffect(() => {
    order.current = picked.keys
    dispatch.current = picked.dispatch
  }, [picked.keys, picked.dispatch])
  const { openPrefix, setFilter } = useOpening(location, open)
  const reload = useCallback(() => setRound((before) => before + 1), [])
  const act = useAct({ location, setDialog, openPrefix, view, reload })
  const rowActions = useRowActions({ bucket, picked, act, setMenu })
  const parts = { location, entries, picked, act, openPrefix, openMenu: setMenu }
  const onCommand = useCommands(parts)
  return {
    ...{
      location,
      listing,
      search,
      sizes,
      entries,
      sort,
      setSort,
      picked,
      rowActions,
      dialog,
      setDialog,
    },
    ...{ menu, openMenu: setMenu, openPrefix, setFilter, view, closeView, act, onCommand },
    ...{ layout, setLayout },
    onFocusWanted: useCallback(
      (key: string, isSelected: boolean) =>
        dispatch.current({ type: isSelected ? 'only' : 'activate', key }),
      [],
    ),
    closeMenu: useCallback(() => closeMenu(menu, setMenu), [menu]),
    mayChange: useIsKnown(bucket),
    reload,
  }
}

function closeMenu(menu: MenuPosition | undefined, setMenu: (menu: undefined) => void): void {
  if (menu?.opener === undefined) focusGrid()
  else menu.opener.focus()
  setMenu(undefined)
}

/** Opens other folders, and changes what is shown of this one. */
function useOpening(location: BucketLocation, open: FilesNavigation['open']) {
  const { bucket } = location
  const openPrefix = useCallback(
    (prefix: string, ofBucket = bucket) => open({ bucket: ofBucket, prefix, filter: '' }),
    [bucket, open],
  )
  const setFilter = useCallback(
    (change: Partial<FilesLocation>) => {
      const next = { ...location, ...change }
      // Only a text can be searched for.
      const isSearch = next.filter.trim() !== '' || isView(next.scope)
      const scope = isSearch ? next.scope : undefined
      const replace = scope === location.scope
      open({ ...next, bucket: next.bucket || undefined, scope }, { replace })
    },
    [location, open],
  )
  return { openPrefix, setFilter }
}

/** Recent files begin with the latest, whatever the order of folders is. */
function useSort({ scope }: BucketLocation) {
  const stored = useStored(sortKey, byName, parseSort)
  const recent = useState<Sort>({ field: 'modified', isDescending: true })
  return scope === 'recent' ? recent : stored
}

/** Whether the bucket exists, as far as is known. */
function useIsKnown(bucket: string): boolean {
  return useBuckets().data?.buckets.some(({ name }) => name === bucket) ?? bucket !== ''
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
      onCheck: (entry, withShift) => {
        const { dispatch, keys } = latest.current.picked
        const key = entryId(entry)
        dispatch(withShift ? { type: 'range', key, order: keys } : { type: 'toggle', key })
      },
      onActivate: (entry) => {
        const { dispatch } = latest.current.picked
        // At once: the same press leaves the folder, which remembers its active row.
        flushSync(() => dispatch({ type: 'activate', key: entryId(entry) }))
      },
      onOpen: (entry) => latest.current.act('open', [entry]),
      onMenu: (entry, at) =>
        latest.current.setMenu({
          type: 'entries',
          ...at,
          entries: meant(latest.current.picked, entry),
        }),
      onDrag: (entry, event) => {
        const { bucket, picked } = latest.current
        dragRows(event, { bucket: entry.bucket ?? bucket, entries: meant(picked, entry) })
      },
      dropsOn: ({ key, bucket = latest.current.bucket }) => dropTarget({ bucket, prefix: key }),
      hrefOf: ({ key, bucket = latest.current.bucket }) =>
        locationPath({ bucket, prefix: key, filter: '' }),
    }),
    [],
  )
}

function press({ dispatch, keys }: ShownSelection, entry: Entry, event: MouseEvent): void {
  const key = entryId(entry)
  if (event.shiftKey) dispatch({ type: 'range', key, order: keys })
  else if (event.ctrlKey || event.metaKey) dispatch({ type: 'toggle', key })
  else dispatch({ type: 'only', key })
}

/** A menu on one of several selected entries applies to all of them. */
function meant({ selection, selected, dispatch }: ShownSelection, entry: Entry): readonly Entry[] {
  if (selection.selected.has(entryId(entry))) return selected
  dispatch({ type: 'only', key: entryId(entry) })
  return [entry]
}
