import { Button, Group, Loader } from '@mantine/core'
import { useConnection } from '../../connection/use-connection.ts'
import { formatAmount, formatCount } from '../../format/bytes.ts'
import { entryCounts } from '../entries/entry-counts.ts'
import { measuredCount, stopMeasuring } from '../folder-sizes/folder-sizes.ts'
import { isFiltering } from '../search/entry-filter.ts'
import type { Search } from '../search/use-search.ts'
import type { Browser } from './browser.ts'

/** The line below the list: the number of entries and whether the list is complete. */
export function ListingStatus({ browser }: { readonly browser: Browser }) {
  const { listing, search, entries, location, sizes } = browser
  const connection = useConnection()
  const measured = measuredCount(sizes)
  // An empty list says so itself; a search that has not ended says how far it is.
  if (
    entries.length === 0 &&
    (search === undefined || listing.status === 'complete' || listing.status === 'failed')
  )
    return null
  return (
    <Group
      flex="none"
      gap={8}
      mih={34}
      pl={14}
      // A phone has a button in this corner.
      pr={{ base: 84, sm: 14 }}
      py={4}
      fz={13}
      c="dimmed"
      style={{ borderTop: '1px solid var(--bucketry-line)' }}
    >
      {listing.status === 'loading' && <Loader size={14} aria-hidden />}
      <span role="status" aria-busy={listing.status === 'loading'}>
        {search === undefined ? statusText(browser) : searchText(browser, search)}
        {connection === 'lost' && ', not up to date'}
      </span>
      {listing.status === 'loading' && (search !== undefined || entries.length >= 1_000) && (
        <Button size="compact-xs" variant="default" onClick={listing.stop}>
          Stop
        </Button>
      )}
      {measured > 0 && (
        <>
          <Loader size={14} aria-hidden />
          <span role="status">Counting {formatAmount(measured, 'folder')}</span>
          <Button
            size="compact-xs"
            variant="default"
            aria-label="Stop counting"
            onClick={() => void stopMeasuring(location.bucket, sizes)}
          >
            Stop
          </Button>
        </>
      )}
      {(listing.status === 'stopped' || listing.status === 'failed') && (
        <Button size="compact-xs" variant="default" onClick={listing.resume}>
          {search === undefined ? 'Load the rest' : 'Continue the search'}
        </Button>
      )}
    </Group>
  )
}

function statusText({ listing, entries, location }: Browser): string {
  const count = formatCount(listing.entries.length)
  switch (listing.status) {
    case 'loading':
      if (listing.isStale) return 'Loading'
      return `Loading: ${count} so far`
    case 'stopped':
      return `Only the first ${count} are loaded. Sorting, search and selection apply only to these.`
    case 'failed':
      return `Only ${count} are loaded: ${listing.error?.message ?? ''}`
    case 'complete':
      return `${entryCounts(entries).join(', ')}${isFiltering({ ...location, text: location.filter }) ? ' found' : ''}`
  }
}

/** The progress and the problems of a search. */
function searchText({ entries }: Browser, { isSearching, error, results }: Search): string {
  const found = formatAmount(entries.length, 'result')
  const seen = formatAmount(results.looked, 'object')
  const problems = results.problems.map((problem) => `. ${problem}`).join('')
  if (isSearching) return entries.length === 0 ? `Searching: ${seen} so far` : `${found}, searching`
  if (error !== undefined) return `${found} in the first ${seen}. ${error.message}`
  return results.next === null ? found + problems : `${found} in the first ${seen}${problems}`
}
