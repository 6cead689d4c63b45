import { Button, Group, Loader } from '@mantine/core'
import { useConnection } from '../../connection/use-connection.ts'
import { formatAmount, formatCount } from '../../format/bytes.ts'
import { entryCounts } from '../entries/entry-counts.ts'
import { measuredCount, stopMeasuring } from '../folder-sizes/folder-sizes.ts'
import type { Browser } from './use-browser.ts'

/** The line below the list: the number of entries and whether the list is complete. */
export function ListingStatus({ browser }: { readonly browser: Browser }) {
  const { listing, entries, location, sizes } = browser
  const connection = useConnection()
  const isFiltered = location.filter !== ''
  const measured = measuredCount(sizes)
  if (entries.length === 0 && !(isFiltered && listing.status === 'complete')) return null
  return (
    <Group
      flex="none"
      gap={8}
      mih={34}
      px={14}
      py={4}
      fz={13}
      c="dimmed"
      style={{ borderTop: '1px solid var(--bucketry-line)' }}
    >
      {listing.status === 'loading' && <Loader size={14} aria-hidden />}
      <span role="status" aria-busy={listing.status === 'loading'}>
        {statusText(browser, isFiltered)}
        {connection === 'lost' && ', not up to date'}
      </span>
      {listing.status === 'loading' && entries.length >= 1_000 && (
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
          Load the rest
        </Button>
      )}
    </Group>
  )
}

function statusText({ listing, entries }: Browser, isFiltered: boolean): string {
  const count = formatCount(entries.length)
  switch (listing.status) {
    case 'loading':
      if (listing.isStale) return 'Loading'
      return `Loading: ${count} so far`
    case 'stopped':
      return `Only the first ${count} are loaded. Sorting and selection apply only to these.`
    case 'failed':
      return `Only ${count} are loaded: ${listing.error?.message ?? ''}`
    case 'complete':
      if (entries.length === 0) return 'Nothing found'
      return `${entryCounts(entries).join(', ')}${isFiltered ? ' found' : ''}`
  }
}
