import { Button, Skeleton, Stack } from '@mantine/core'
import { IconSearchOff } from '@tabler/icons-react'
import { EmptyState } from '../../ui/empty-state.tsx'
import { FailureNotice } from '../../ui/failure-notice.tsx'
import { nameOf } from '../entries/entry.ts'
import { visibleName } from '../entries/visible-name.ts'
import { EntryGrid } from './entry-grid.tsx'
import { FolderEmpty } from './folder-empty.tsx'
import { SortHeader } from './sort-header.tsx'
import type { Browser } from './use-browser.ts'
import { focusFilter } from './use-browser-keys.ts'

/** The list, or a placeholder. */
export function FolderContents({ browser }: { readonly browser: Browser }) {
  const { listing, entries, location, picked, sort, setSort } = browser
  if (entries.length === 0) return <NoEntries browser={browser} />
  const { selection, dispatch, selected, activeIndex, keys } = picked
  return (
    <EntryGrid
      label={`Files in ${visibleName(nameOf(location.prefix) || location.bucket)}`}
      entries={entries}
      arrangement={`${sort.field} ${sort.isDescending} ${location.filter}`}
      isPartial={listing.status !== 'complete'}
      selection={selection}
      activeIndex={activeIndex}
      actions={browser.rowActions}
      onCommand={browser.onCommand}
      onFocusWanted={browser.onFocusWanted}
      header={
        <SortHeader
          sort={sort}
          onSort={setSort}
          isAllSelected={selected.length === entries.length}
          isSomeSelected={selected.length > 0}
          onSelectAll={(isWanted) =>
            dispatch(isWanted ? { type: 'all', order: keys } : { type: 'none' })
          }
        />
      }
    />
  )
}

function NoEntries({ browser }: { readonly browser: Browser }) {
  const { listing, location, setFilter } = browser
  if (listing.error !== undefined) {
    return (
      <FailureNotice
        title="The folder could not be loaded"
        error={listing.error}
        onRetry={listing.resume}
      />
    )
  }
  if (listing.status === 'loading') return <LoadingRows />
  if (location.filter !== '') {
    return (
      <EmptyState
        icon={<IconSearchOff size={40} stroke={1.2} />}
        title={`No name begins with “${visibleName(location.filter)}”`}
      >
        The filter is case-sensitive.{' '}
        <Button
          size="compact-sm"
          variant="subtle"
          onClick={() => {
            setFilter('')
            focusFilter()
          }}
        >
          Clear filter
        </Button>
      </EmptyState>
    )
  }
  return <FolderEmpty location={location} openPrefix={browser.openPrefix} />
}

const widths = ['46%', '32%', '58%', '40%', '52%', '36%']

function LoadingRows() {
  return (
    <Stack gap={18} p="md" role="status" aria-label="Loading the folder">
      {widths.map((width) => (
        <Skeleton key={width} height={16} width={width} radius="sm" />
      ))}
    </Stack>
  )
}
