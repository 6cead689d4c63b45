import { Box, Group, NativeSelect, Text, Title } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { BucketStatus } from '../../../src/dashboard/management/management-schemas.ts'
import type { TrashReply } from '../../../src/dashboard/management/trash-routes.ts'
import { useBuckets } from '../api/service-queries.ts'
import { readTrash } from '../files/change/read-trash.ts'
import { DeletedList } from '../files/versions/deleted-list.tsx'
import { formatAmount, formatBytes } from '../format/bytes.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { MoreButton } from '../ui/more-button.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import { RowList } from '../ui/row-list.tsx'
import { EmptyTrashButton } from './empty-trash-button.tsx'
import { TrashRow } from './trash-row.tsx'

/** What the dashboard has deleted, by bucket. */
export function TrashPage() {
  const buckets = useBuckets()
  return (
    <>
      <PageHeading title="Trash">
        What you delete here stays for a while and can be restored. Deletions by S3 clients are
        listed only for buckets that keep versions.
      </PageHeading>
      <Loaded query={buckets} failure="The buckets could not be loaded">
        {(data) => <Trashes buckets={data.buckets} />}
      </Loaded>
    </>
  )
}

function Trashes({ buckets }: { readonly buckets: readonly BucketStatus[] }) {
  const [chosen, setChosen] = useState<string>()
  const bucket = buckets.find(({ name }) => name === chosen) ?? buckets[0]
  if (bucket === undefined) return <NoTrash title="There are no buckets" />
  const hasVersions = bucket.versioning !== 'off'
  return (
    <>
      <NativeSelect
        label="Bucket"
        mb="md"
        maw={320}
        data={buckets.map(({ name }) => name)}
        value={bucket.name}
        onChange={(event) => setChosen(event.currentTarget.value)}
      />
      {hasVersions && (
        <Box key={`deleted ${bucket.name}`} mb="lg">
          <Text size="sm" c="dimmed" mb="md">
            This bucket keeps versions: deleted files can be restored until you or an expiry rule
            delete their versions.
          </Text>
          <DeletedList bucket={bucket.name} prefix="" />
        </Box>
      )}
      <BucketTrash key={bucket.name} bucket={bucket.name} hasVersions={hasVersions} />
    </>
  )
}

interface BucketTrashProps {
  readonly bucket: string
  /** Whether the trash has only what was deleted while versions were off. */
  readonly hasVersions: boolean
}

function BucketTrash({ bucket, hasVersions }: BucketTrashProps) {
  const client = useQueryClient()
  const query = useInfiniteQuery({
    queryKey: ['trash-pages', bucket],
    queryFn: ({ pageParam, signal }) => readTrash(bucket, pageParam, signal),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next ?? undefined,
    refetchInterval: 10_000,
  })
  const refresh = () => void client.invalidateQueries({ queryKey: ['trash-pages', bucket] })
  return (
    <Loaded query={query} failure="The trash could not be loaded">
      {({ pages }) => {
        const [first] = pages
        const items = pages.flatMap((page) => page.items)
        if (first === undefined || items.length === 0) {
          return hasVersions ? null : <NothingThere trash={first} />
        }
        return (
          <>
            {hasVersions && (
              <Title order={2} size="h5" mb="xs">
                Deleted while versions were off
              </Title>
            )}
            <Group justify="space-between" mb="xs">
              <Text size="sm" c="dimmed" role="status">
                {figuresText(first)}
              </Text>
              <EmptyTrashButton bucket={bucket} onEnd={refresh} />
            </Group>
            <RowList>
              {items.map((item) => (
                <TrashRow key={item.id} bucket={bucket} item={item} onEnd={refresh} />
              ))}
            </RowList>
            <MoreButton query={query} />
          </>
        )
      }}
    </Loaded>
  )
}

function figuresText({ objects, bytes, days }: TrashReply): string {
  const kept =
    days === 0 ? 'TRASH_DAYS is 0: nothing is added.' : `Kept for ${formatAmount(days, 'day')}.`
  if (objects === null || bytes === null) return `Being counted. ${kept}`
  return `${formatAmount(objects, 'object')}, ${formatBytes(bytes)}. ${kept}`
}

function NothingThere({ trash }: { readonly trash: TrashReply | undefined }) {
  if (trash?.isThere === false) {
    return (
      <NoTrash title="This bucket has no trash here">
        It is read-only, or its drive has a trash of its own, such as Google Drive.
      </NoTrash>
    )
  }
  if (trash?.days === 0) {
    return (
      <NoTrash title="The trash is off">TRASH_DAYS is 0: files are deleted permanently.</NoTrash>
    )
  }
  return <NoTrash title="The trash is empty" />
}

function NoTrash({ title, children }: { readonly title: string; readonly children?: string }) {
  return (
    <EmptyState icon={<IconTrash size={40} stroke={1.2} />} title={title}>
      {children}
    </EmptyState>
  )
}
