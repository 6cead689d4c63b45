import { Button, Group, Skeleton, Stack } from '@mantine/core'
import { IconBucketOff, IconClock, IconSearchOff, IconStar } from '@tabler/icons-react'
import { Link } from 'wouter'
import { useBuckets } from '../../api/service-queries.ts'
import { filesTexts } from '../../texts/files.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { FailureNotice } from '../../ui/failure-notice.tsx'
import { nameOf } from '../entries/entry.ts'
import { visibleName } from '../entries/visible-name.ts'
import { isView } from '../files-location.ts'
import { isFiltering } from '../search/entry-filter.ts'
import { resultsName } from '../search/search-results.ts'
import { EntryTiles } from '../tiles/entry-tiles.tsx'
import type { Browser } from './browser.ts'
import { EntryGrid } from './entry-grid.tsx'
import { FolderEmpty } from './folder-empty.tsx'
import { SortHeader } from './sort-header.tsx'

/** The list or the tiles, or a placeholder. */
export function FolderContents({ browser }: { readonly browser: Browser }) {
  const { listing, entries, location, picked, sort, setSort } = browser
  if (entries.length === 0) return <NoEntries browser={browser} />
  const { selection, dispatch, selected, activeIndex, keys } = picked
  const view = {
    bucket: location.bucket,
    label:
      browser.search === undefined
        ? filesTexts.filesIn(visibleName(nameOf(location.prefix) || location.bucket))
        : resultsName(location.scope),
    arrangement: arrangementOf(browser),
    isPartial: listing.status !== 'complete',
    actions: browser.rowActions,
    onCommand: browser.onCommand,
    onFocusWanted: browser.onFocusWanted,
    onBand: (order: readonly string[]) => dispatch({ type: 'all', order }),
    ...{ entries, selection, activeIndex },
  }
  const header = {
    ...{ sort, onSort: setSort },
    isAllSelected: selected.length === entries.length,
    isSomeSelected: selected.length > 0,
    onSelectAll: (isWanted: boolean) =>
      dispatch(isWanted ? { type: 'all', order: keys } : { type: 'none' }),
  }
  if (browser.layout === 'list') return <EntryGrid {...view} header={<SortHeader {...header} />} />
  return <EntryTiles {...view} header={header} />
}

/** Changes with the order and with what is searched for. */
function arrangementOf({ sort, location }: Browser): string {
  const { filter, scope, kind, changed, size } = location
  return JSON.stringify([sort, filter, scope, kind, changed, size])
}

function NoEntries({ browser }: { readonly browser: Browser }) {
  const { listing, location, search } = browser
  if (listing.error !== undefined && search !== undefined) {
    const { error, resume } = listing
    return <FailureNotice title={filesTexts.search.stopped} error={error} onRetry={resume} />
  }
  if (listing.error !== undefined) {
    return <NotListed bucket={location.bucket} error={listing.error} onRetry={listing.resume} />
  }
  if (listing.status === 'loading') return <LoadingRows />
  if (isFiltering({ ...location, text: location.filter })) return <NothingFound browser={browser} />
  if (isView(location.scope)) return <NothingMarked view={location.scope} />
  return <FolderEmpty location={location} openPrefix={browser.openPrefix} />
}

function NothingMarked({ view }: { readonly view: 'starred' | 'recent' }) {
  const isStarred = view === 'starred'
  const Icon = isStarred ? IconStar : IconClock
  return (
    <EmptyState
      icon={<Icon size={40} stroke={1.2} />}
      title={isStarred ? filesTexts.nothingStarred : filesTexts.nothingRecent}
    >
      {isStarred ? filesTexts.howToStar : ''}
    </EmptyState>
  )
}

const noFilters = { kind: undefined, changed: undefined, size: undefined } as const

/** Offers the other places to search. */
function NothingFound({ browser: { location, search, setFilter } }: { readonly browser: Browser }) {
  const { filter, scope, bucket, prefix } = location
  const text = filter.trim()
  const name = visibleName(text)
  const folder = visibleName(nameOf(prefix) || bucket)
  const place = {
    ...{ below: filesTexts.search.below(folder), all: filesTexts.search.anywhere },
    ...{ starred: filesTexts.search.amongStarred, recent: filesTexts.search.amongRecent },
  } as const
  const where = scope === undefined ? filesTexts.search.inFolder(folder) : place[scope]
  const hasFilters = isFiltering({ ...location, text: '' })
  return (
    <EmptyState
      icon={<IconSearchOff size={40} stroke={1.2} />}
      title={
        text === '' ? filesTexts.search.noneOfKind(where) : filesTexts.search.noName(where, name)
      }
      action={
        <Group gap={8} justify="center">
          {text !== '' && scope === undefined && (
            <Button size="xs" onClick={() => setFilter({ scope: 'below' })}>
              {filesTexts.search.inBelow}
            </Button>
          )}
          {text !== '' && scope !== 'all' && (
            <Button size="xs" variant="default" onClick={() => setFilter({ scope: 'all' })}>
              {filesTexts.search.inAll}
            </Button>
          )}
          <Button
            size="xs"
            variant="default"
            onClick={() =>
              setFilter(hasFilters && text !== '' ? noFilters : { ...noFilters, filter: '' })
            }
          >
            {hasFilters && text !== '' ? filesTexts.search.clearFilters : filesTexts.search.clear}
          </Button>
        </Group>
      }
    >
      {search?.results.problems.join(' ')}
    </EmptyState>
  )
}

interface NotListedProps {
  readonly bucket: string
  readonly error: Error
  readonly onRetry: () => void
}

/** S3 refuses an unknown bucket like one without access; the list of buckets tells them apart. */
function NotListed({ bucket, error, onRetry }: NotListedProps) {
  const { data, isFetching, isFetchedAfterMount } = useBuckets()
  const isUnknown = data?.buckets.every(({ name }) => name !== bucket) ?? false
  if (isUnknown && isFetching && !isFetchedAfterMount) return <LoadingRows />
  if (!isUnknown) {
    return <FailureNotice title={filesTexts.folderFailure} error={error} onRetry={onRetry} />
  }
  return (
    <EmptyState
      icon={<IconBucketOff size={40} stroke={1.2} />}
      title={filesTexts.unknownBucket(visibleName(bucket))}
    >
      <div>{filesTexts.unknownBucketText}</div>
      <Button component={Link} href="/files" mt="sm" size="xs" variant="default">
        {filesTexts.showBuckets}
      </Button>
    </EmptyState>
  )
}

const widths = ['46%', '32%', '58%', '40%', '52%', '36%']

function LoadingRows() {
  return (
    <Stack gap={18} p="md" role="status" aria-label={filesTexts.loadingFolder}>
      {widths.map((width) => (
        <Skeleton key={width} height={16} width={width} radius="sm" />
      ))}
    </Stack>
  )
}
