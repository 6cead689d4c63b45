import { NativeSelect, Text, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconSearch, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { useSearch } from 'wouter/use-browser-location'
import type { BucketStatus } from '../../../src/dashboard/management/management-schemas.ts'
import { useBuckets } from '../api/service-queries.ts'
import { DeletedList } from '../files/versions/deleted-list.tsx'
import { trashTexts } from '../texts/trash.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import { Section } from '../ui/section.tsx'
import { AllTrashes, BucketTrash } from './deletions.tsx'
import classes from './trash-page.module.css'

const typingMs = 250

/** What the dashboard has deleted, in all buckets. */
export function TrashPage() {
  const buckets = useBuckets()
  return (
    <>
      <PageHeading title={trashTexts.title}>{trashTexts.text}</PageHeading>
      <Loaded query={buckets} failure={trashTexts.bucketsFailure}>
        {(data) => <Trashes buckets={data.buckets} />}
      </Loaded>
    </>
  )
}

/** The choice, which is part of the page address. */
function useChoice() {
  const [path, navigate] = useLocation()
  const params = new URLSearchParams(useSearch())
  const set = (name: string, value: string) => {
    const after = new URLSearchParams(location.search)
    if (value === '') after.delete(name)
    else after.set(name, value)
    navigate(after.size === 0 ? path : `${path}?${after}`, { replace: true })
  }
  return { bucket: params.get('bucket') ?? '', search: params.get('search') ?? '', set }
}

/** The trash of every bucket, or of the one that the address names. */
function Trashes({ buckets }: { readonly buckets: readonly BucketStatus[] }) {
  const { bucket: chosen, search, set } = useChoice()
  const chosenBucket = buckets.find(({ name }) => name === chosen)
  if (buckets.length === 0) return <NoTrash title={trashTexts.noBuckets} />
  const names = buckets.map(({ name }) => name)
  // The bucket in the address may no longer exist.
  const known = chosen === '' || names.includes(chosen) ? names : [...names, chosen]
  const shown = chosen === '' ? buckets : buckets.filter(({ name }) => name === chosen)
  return (
    <>
      <div className={classes.filter}>
        <NativeSelect
          aria-label={trashTexts.bucket}
          data={[{ value: '', label: trashTexts.allBuckets }, ...known]}
          value={chosen}
          onChange={({ currentTarget: { value } }) => set('bucket', value)}
        />
        <SearchField initial={search} onSearch={(text) => set('search', text)} />
      </div>
      <div className={classes.buckets}>
        {chosen === '' && <AllTrashes search={search} onChoose={(name) => set('bucket', name)} />}
        {chosenBucket && <BucketTrash bucket={chosenBucket} search={search} />}
        {search === '' &&
          shown.map((bucket) => <FormerVersions key={bucket.name} bucket={bucket} />)}
      </div>
      <div className={classes.none}>
        <NoTrash title={search === '' ? trashTexts.none : trashTexts.noMatch} />
      </div>
    </>
  )
}

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
      aria-label={trashTexts.search}
      placeholder={trashTexts.searchHint}
      maxLength={255}
      leftSection={<IconSearch size={16} />}
      value={text}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value)
        search(currentTarget.value.trim())
      }}
    />
  )
}

function FormerVersions({ bucket: { name, versioning } }: { readonly bucket: BucketStatus }) {
  if (versioning === 'off') return null
  return (
    <Section title={trashTexts.deletedFrom(name)}>
      <Text size="sm" c="dimmed" mb="md">
        {trashTexts.keepsVersions}
      </Text>
      <DeletedList bucket={name} prefix="" />
    </Section>
  )
}

function NoTrash({ title }: { readonly title: string }) {
  return <EmptyState icon={<IconTrash size={40} stroke={1.2} />} title={title} />
}
