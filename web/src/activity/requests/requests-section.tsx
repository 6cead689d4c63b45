import { Button, NativeSelect, SegmentedControl, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconActivity, IconSearch } from '@tabler/icons-react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { useSearch } from 'wouter/use-browser-location'
import { useActivity, useBuckets } from '../../api/service-queries.ts'
import { activityTexts } from '../../texts/activity.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { MoreButton } from '../../ui/more-button.tsx'
import { RowList } from '../../ui/row-list.tsx'
import { Section } from '../../ui/section.tsx'
import { useAction } from '../../ui/use-action.ts'
import { RequestRow } from './request-row.tsx'
import { beginningOf } from './request-text.ts'
import classes from './requests-section.module.css'
import { searchOf } from './search-words.ts'

const typingMs = 250

const whats = [
  { value: 'all', label: activityTexts.requests.all },
  { value: 'changes', label: activityTexts.requests.changes },
  { value: 'failures', label: activityTexts.requests.failures },
]
const statuses = [
  { value: '', label: activityTexts.requests.anyResult },
  { value: '2xx', label: activityTexts.requests.done },
  { value: '4xx', label: activityTexts.requests.refused },
  { value: '5xx', label: activityTexts.requests.failed },
]
const spans = [
  { value: '', label: activityTexts.requests.anyTime },
  { value: 'hour', label: activityTexts.requests.lastHour },
  { value: 'day', label: activityTexts.requests.lastDay },
]

/** The filter, which is part of the page address. */
function useFilter() {
  const [path, navigate] = useLocation()
  const params = new URLSearchParams(useSearch())
  const get = (name: string) => params.get(name) ?? ''
  const set = (name: string, value: string) => {
    const after = new URLSearchParams(location.search)
    if (value === '') after.delete(name)
    else after.set(name, value)
    navigate(after.size === 0 ? path : `${path}?${after}`, { replace: true })
  }
  return { get, set, clear: () => navigate(path, { replace: true }), isSet: params.size > 0 }
}

/**
 * The latest changes and failures, by requests of any client.
 *
 * @param bucket only requests to this bucket, without a choice of another
 */
export function RequestsSection({ bucket }: { readonly bucket?: string }) {
  const filter = useFilter()
  const { get, set } = filter
  const what = get('what') || 'all'
  return (
    <Section title={activityTexts.requests.title} actions={what === 'failures' && <ClearButton />}>
      <div className={classes.filter}>
        <SegmentedControl
          aria-label={activityTexts.requests.listed}
          size="xs"
          value={what}
          onChange={(value) => set('what', value === 'all' ? '' : value)}
          data={whats}
        />
        <SearchField initial={get('search')} onSearch={(text) => set('search', text)} />
        {bucket === undefined && <BucketSelect filter={filter} />}
        <NativeSelect
          aria-label={activityTexts.requests.result}
          size="xs"
          value={get('status')}
          onChange={({ currentTarget }) => set('status', currentTarget.value)}
          data={statuses}
        />
        <NativeSelect
          aria-label={activityTexts.requests.time}
          size="xs"
          value={get('span')}
          onChange={({ currentTarget }) => set('span', currentTarget.value)}
          data={spans}
        />
      </div>
      <Requests filter={filter} bucket={bucket} />
    </Section>
  )
}

type Filter = ReturnType<typeof useFilter>

interface SearchFieldProps {
  readonly initial: string
  readonly onSearch: (text: string) => void
}

function SearchField({ initial, onSearch }: SearchFieldProps) {
  const [text, setText] = useState(initial)
  const search = useDebouncedCallback(onSearch, typingMs)
  return (
    <TextInput
      className={classes.search ?? ''}
      size="xs"
      aria-label={activityTexts.requests.search}
      placeholder={activityTexts.requests.searchHint}
      maxLength={1_000}
      leftSection={<IconSearch size={14} />}
      value={text}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value)
        search(currentTarget.value)
      }}
    />
  )
}

function BucketSelect({ filter: { get, set } }: { readonly filter: Filter }) {
  const names = useBuckets().data?.buckets.map(({ name }) => name) ?? []
  const chosen = get('bucket')
  // The bucket in the page address may no longer exist.
  const known = chosen === '' || names.includes(chosen) ? names : [...names, chosen]
  return (
    <NativeSelect
      aria-label={activityTexts.requests.bucket}
      size="xs"
      value={chosen}
      onChange={({ currentTarget }) => set('bucket', currentTarget.value)}
      data={[{ value: '', label: activityTexts.requests.everyBucket }, ...known]}
    />
  )
}

interface RequestsProps {
  readonly filter: Filter
  readonly bucket: string | undefined
}

function Requests({ filter: { get, clear, isSet }, bucket }: RequestsProps) {
  const given = (name: string) => get(name) || undefined
  const query = useActivity({
    ...Object.fromEntries(
      ['what', 'search', 'bucket', 'status'].flatMap((name) => {
        const value = given(name)
        if (value === undefined) return []
        return [[name, name === 'search' ? searchOf(value) : value]]
      }),
    ),
    ...(bucket !== undefined && { bucket }),
    ...(get('span') !== '' && { from: beginningOf(get('span'), Date.now()) ?? '' }),
  })
  return (
    <Loaded query={query} failure={activityTexts.requests.failure} lines={6}>
      {({ pages }) => {
        const requests = pages.flatMap((page) => page.requests)
        if (requests.length === 0) return <None isFiltered={isSet} onClear={clear} />
        return (
          <>
            <RowList>
              {requests.map((request) => (
                <RequestRow key={request.requestId} request={request} />
              ))}
            </RowList>
            <MoreButton query={query} label={activityTexts.requests.showOlder} />
          </>
        )
      }}
    </Loaded>
  )
}

function None({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) {
  const icon = <IconActivity size={32} stroke={1.5} />
  if (!isFiltered) {
    return (
      <EmptyState icon={icon} title={activityTexts.requests.none}>
        {activityTexts.requests.noneText}
      </EmptyState>
    )
  }
  return (
    <EmptyState
      icon={icon}
      title={activityTexts.requests.noMatch}
      action={
        <Button variant="default" onClick={onClear}>
          {activityTexts.requests.showAll}
        </Button>
      }
    />
  )
}

function ClearButton() {
  const { mutate, isPending } = useAction({
    method: 'DELETE',
    path: '/-/api/failures',
    failure: activityTexts.requests.clearFailure,
    refreshes: 'activity',
  })
  return (
    <Button size="compact-xs" variant="default" loading={isPending} onClick={() => mutate()}>
      {activityTexts.requests.clear}
    </Button>
  )
}
