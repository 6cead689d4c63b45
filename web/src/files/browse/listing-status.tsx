import { Button, Group, Loader } from '@mantine/core'
import { useConnection } from '../../connection/use-connection.ts'
import { formatCount } from '../../format/bytes.ts'
import { filesTexts } from '../../texts/files.ts'
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
        {connection === 'lost' && filesTexts.status.stale}
      </span>
      {listing.status === 'loading' && (search !== undefined || entries.length >= 1_000) && (
        <Button size="compact-xs" variant="default" onClick={listing.stop}>
          {filesTexts.status.stop}
        </Button>
      )}
      {measured > 0 && (
        <>
          <Loader size={14} aria-hidden />
          <span role="status">{filesTexts.status.counting(measured)}</span>
          <Button
            size="compact-xs"
            variant="default"
            aria-label={filesTexts.status.stopCounting}
            onClick={() => void stopMeasuring(location.bucket, sizes)}
          >
            {filesTexts.status.stop}
          </Button>
        </>
      )}
      {(listing.status === 'stopped' || listing.status === 'failed') && (
        <Button size="compact-xs" variant="default" onClick={listing.resume}>
          {search === undefined ? filesTexts.status.loadRest : filesTexts.search.continue}
        </Button>
      )}
    </Group>
  )
}

function statusText({ listing, entries, location }: Browser): string {
  const count = formatCount(listing.entries.length)
  const counts = entryCounts(entries).join(', ')
  switch (listing.status) {
    case 'loading':
      if (listing.isStale) return filesTexts.status.loading
      return filesTexts.status.loadingCount(count)
    case 'stopped':
      return filesTexts.status.stopped(count)
    case 'failed':
      return filesTexts.status.failed(count, listing.error?.message ?? '')
    case 'complete':
      return isFiltering({ ...location, text: location.filter })
        ? filesTexts.status.found(counts)
        : counts
  }
}

/** The progress and the problems of a search. */
function searchText({ entries }: Browser, { isSearching, error, results }: Search): string {
  const found = filesTexts.search.results(entries.length)
  const problems = results.problems.map((problem) => `. ${problem}`).join('')
  if (isSearching)
    return entries.length === 0
      ? filesTexts.search.searching(filesTexts.objects(results.looked))
      : filesTexts.search.searchingFound(found)
  const part = filesTexts.search.foundIn(found, results.looked)
  if (error !== undefined) return `${part}. ${error.message}`
  return (results.next === null ? found : part) + problems
}
