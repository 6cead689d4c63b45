import { Button, Text } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { BucketStatus } from '../../../src/dashboard/management/management-schemas.ts'
import type { TrashesReply, TrashReply } from '../../../src/dashboard/management/trash-routes.ts'
import { request } from '../api/client.ts'
import { formatBytes } from '../format/bytes.ts'
import { trashTexts } from '../texts/trash.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { FailureNotice } from '../ui/failure-notice.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { MoreButton } from '../ui/more-button.tsx'
import { RowList } from '../ui/row-list.tsx'
import { Section } from '../ui/section.tsx'
import { EmptyTrashButton } from './empty-trash-button.tsx'
import { TrashRow } from './trash-row.tsx'

const refreshMs = 10_000

interface AllTrashesProps {
  readonly search: string
  readonly onChoose: (bucket: string) => void
}

/** The latest deletions of all buckets, in one request. */
export function AllTrashes({ search, onChoose }: AllTrashesProps) {
  const query = useQuery({
    queryKey: ['trash-pages', '', search],
    queryFn: ({ signal }) => request<TrashesReply>('/-/api/trashes', { query: { search }, signal }),
    refetchInterval: refreshMs,
  })
  const { data, refetch } = query
  if (data === undefined) {
    return (
      <Loaded query={query} failure={trashTexts.failure}>
        {() => null}
      </Loaded>
    )
  }
  const more = data.trashes.filter(({ next }) => next !== null)
  return (
    <>
      {data.failed.map((name) => (
        <FailureNotice
          key={name}
          title={trashTexts.failureOf(name)}
          error={new Error(trashTexts.notResponding)}
          onRetry={() => void refetch()}
        />
      ))}
      {data.trashes.length > 0 && (
        <Deletions trashes={data.trashes} search={search}>
          {more.map(({ bucket }) => (
            <Button
              key={bucket}
              variant="default"
              size="xs"
              mt="sm"
              onClick={() => onChoose(bucket)}
            >
              {trashTexts.moreFrom(bucket)}
            </Button>
          ))}
        </Deletions>
      )}
    </>
  )
}

interface BucketTrashProps {
  readonly bucket: BucketStatus
  readonly search: string
}

/** The trash of one bucket, which also says why there is none. */
export function BucketTrash({ bucket: { name, versioning }, search }: BucketTrashProps) {
  const query = useInfiniteQuery({
    queryKey: ['trash-pages', name, search],
    queryFn: ({ pageParam: after, signal }) =>
      request<TrashReply>('/-/api/trash', { query: { bucket: name, after, search }, signal }),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next ?? undefined,
    refetchInterval: refreshMs,
  })
  return (
    <Loaded query={query} failure={trashTexts.failureOf(name)}>
      {({ pages }) => {
        const [first] = pages
        const items = pages.flatMap((page) => page.items)
        if (first === undefined || (items.length === 0 && !query.hasNextPage)) {
          return versioning === 'off' ? <NothingThere trash={first} /> : null
        }
        return (
          <Deletions trashes={[{ ...first, bucket: name, items }]} search={search}>
            <MoreButton query={query} />
          </Deletions>
        )
      }}
    </Loaded>
  )
}

interface DeletionsProps {
  readonly trashes: TrashesReply['trashes']
  readonly search: string
  readonly children: ReactNode
}

/** By deletion, the latest first. */
function Deletions({ trashes, search, children }: DeletionsProps) {
  const client = useQueryClient()
  const refresh = () => void client.invalidateQueries({ queryKey: ['trash-pages'] })
  const items = trashes
    .flatMap(({ bucket, days, items }) => items.map((item) => ({ bucket, days, item })))
    .sort((a, b) => Date.parse(b.item.deletedAt) - Date.parse(a.item.deletedAt))
  return (
    <Section
      title={trashTexts.deleted}
      actions={
        search === '' && (
          <EmptyTrashButton buckets={trashes.map(({ bucket }) => bucket)} onEnd={refresh} />
        )
      }
    >
      <Text size="sm" c="dimmed" role="status" mb="xs">
        {figuresText(trashes)}
      </Text>
      <RowList>
        {items.map(({ bucket, days: keptDays, item }) => (
          <TrashRow
            key={`${bucket}/${item.id}`}
            {...{ bucket, item, keptDays, search }}
            onEnd={refresh}
          />
        ))}
      </RowList>
      {children}
    </Section>
  )
}

function figuresText(trashes: readonly TrashReply[]): string {
  const [{ days } = { days: 0 }] = trashes
  const kept = days === 0 ? trashTexts.keepsNothing : trashTexts.kept(days)
  let all = { objects: 0, bytes: 0 }
  for (const { objects, bytes } of trashes) {
    if (objects === null || bytes === null) return trashTexts.counting(kept)
    all = { objects: all.objects + objects, bytes: all.bytes + bytes }
  }
  return trashTexts.total(trashTexts.files(all.objects), formatBytes(all.bytes), kept)
}

function NothingThere({ trash }: { readonly trash: TrashReply | undefined }) {
  if (trash?.isThere === false) {
    return <NoTrash title={trashTexts.noTrash}>{trashTexts.noTrashText}</NoTrash>
  }
  if (trash?.days !== 0) return null
  return <NoTrash title={trashTexts.off}>{trashTexts.offText}</NoTrash>
}

function NoTrash({ title, children }: { readonly title: string; readonly children: string }) {
  return (
    <EmptyState icon={<IconTrash size={40} stroke={1.2} />} title={title}>
      {children}
    </EmptyState>
  )
}
