import { Button, NativeSelect, Text } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { Fragment, type ReactNode } from 'react'
import { useLocation } from 'wouter'
import { useSearch } from 'wouter/use-browser-location'
import type { BucketStatus } from '../../../src/dashboard/management/management-schemas.ts'
import type { TrashesReply, TrashReply } from '../../../src/dashboard/management/trash-routes.ts'
import { request } from '../api/client.ts'
import { useBuckets } from '../api/service-queries.ts'
import { readTrash } from '../files/change/read-trash.ts'
import { DeletedList } from '../files/versions/deleted-list.tsx'
import { formatAmount, formatBytes } from '../format/bytes.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { FailureNotice } from '../ui/failure-notice.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { MoreButton } from '../ui/more-button.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import { RowList } from '../ui/row-list.tsx'
import { Section } from '../ui/section.tsx'
import { EmptyTrashButton } from './empty-trash-button.tsx'
import classes from './trash-page.module.css'
import { TrashRow } from './trash-row.tsx'

/** What the dashboard has deleted, in all buckets. */
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

/** The trash of every bucket, or of the one that the address names. */
function Trashes({ buckets }: { readonly buckets: readonly BucketStatus[] }) {
  const [path, navigate] = useLocation()
  const chosen = new URLSearchParams(useSearch()).get('bucket') ?? ''
  const choose = (name: string) =>
    navigate(name === '' ? path : `${path}?bucket=${name}`, { replace: true })
  const chosenBucket = buckets.find(({ name }) => name === chosen)
  if (buckets.length === 0) return <NoTrash title="There are no buckets" />
  const names = buckets.map(({ name }) => name)
  // The bucket in the address may no longer exist.
  const known = chosen === '' || names.includes(chosen) ? names : [...names, chosen]
  return (
    <>
      <NativeSelect
        label="Bucket"
        mb="md"
        maw={320}
        data={[{ value: '', label: 'All buckets' }, ...known]}
        value={chosen}
        onChange={({ currentTarget: { value } }) => choose(value)}
      />
      <div className={classes.buckets}>
        {chosen === '' ? (
          <AllTrashes buckets={buckets} onChoose={choose} />
        ) : (
          chosenBucket && (
            <>
              <FormerVersions bucket={chosenBucket} />
              <BucketTrash bucket={chosenBucket} />
            </>
          )
        )}
      </div>
      <div className={classes.none}>
        <NoTrash title="The trash is empty" />
      </div>
    </>
  )
}

interface AllTrashesProps {
  readonly buckets: readonly BucketStatus[]
  readonly onChoose: (bucket: string) => void
}

/** The first page of the trash of each bucket, in one request. */
function AllTrashes({ buckets, onChoose }: AllTrashesProps) {
  const query = useQuery({
    queryKey: ['trash-pages', ''],
    queryFn: ({ signal }) => request<TrashesReply>('/-/api/trashes', { signal }),
    refetchInterval: refreshMs,
  })
  const { data, refetch } = query
  return (
    <>
      {data === undefined && (
        <Loaded query={query} failure="The trash could not be loaded">
          {() => null}
        </Loaded>
      )}
      {buckets.map((bucket) => {
        const { name } = bucket
        const trash = data?.trashes.find((one) => one.bucket === name)
        return (
          <Fragment key={name}>
            <FormerVersions bucket={bucket} />
            {data?.failed.includes(name) && (
              <FailureNotice
                title={`The trash of ${name} could not be loaded`}
                error={notResponding}
                onRetry={() => void refetch()}
              />
            )}
            {trash !== undefined && (
              <TrashSection bucket={bucket} first={trash} items={trash.items}>
                {trash.next !== null && (
                  <Button variant="default" size="xs" mt="sm" onClick={() => onChoose(name)}>
                    Show everything in the trash of {name}
                  </Button>
                )}
              </TrashSection>
            )}
          </Fragment>
        )
      })}
    </>
  )
}

const refreshMs = 10_000
const notResponding = new Error('The drive does not respond. Try again later.')

interface BucketProps {
  readonly bucket: BucketStatus
}

function FormerVersions({ bucket: { name, versioning } }: BucketProps) {
  if (versioning === 'off') return null
  return (
    <Section title={`Deleted from ${name}`}>
      <Text size="sm" c="dimmed" mb="md">
        This bucket keeps versions: deleted files can be restored until you or a lifecycle rule
        delete their versions.
      </Text>
      <DeletedList bucket={name} prefix="" />
    </Section>
  )
}

/** The trash of one bucket, which also says why there is none. */
function BucketTrash({ bucket }: BucketProps) {
  const { name, versioning } = bucket
  const query = useInfiniteQuery({
    queryKey: ['trash-pages', name],
    queryFn: ({ pageParam, signal }) => readTrash(name, pageParam, signal),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next ?? undefined,
    refetchInterval: refreshMs,
  })
  return (
    <Loaded query={query} failure={`The trash of ${name} could not be loaded`}>
      {({ pages }) => {
        const [first] = pages
        const items = pages.flatMap((page) => page.items)
        if (first === undefined || items.length === 0) {
          return versioning === 'off' ? <NothingThere trash={first} /> : null
        }
        return (
          <TrashSection bucket={bucket} first={first} items={items}>
            <MoreButton query={query} />
          </TrashSection>
        )
      }}
    </Loaded>
  )
}

interface TrashSectionProps extends BucketProps {
  readonly first: TrashReply
  readonly items: TrashReply['items']
  readonly children: ReactNode
}

function TrashSection({ bucket, first, items, children }: TrashSectionProps) {
  const { name, versioning } = bucket
  const client = useQueryClient()
  const refresh = () => void client.invalidateQueries({ queryKey: ['trash-pages'] })
  // A bucket that keeps versions has in its trash only what was deleted while versions were off.
  const title = versioning === 'off' ? name : `Deleted from ${name} while versions were off`
  return (
    <Section title={title} actions={<EmptyTrashButton bucket={name} onEnd={refresh} />}>
      <Text size="sm" c="dimmed" role="status" mb="xs">
        {figuresText(first)}
      </Text>
      <RowList>
        {items.map((item) => (
          <TrashRow key={item.id} bucket={name} item={item} keptDays={first.days} onEnd={refresh} />
        ))}
      </RowList>
      {children}
    </Section>
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
  return null
}

function NoTrash({ title, children }: { readonly title: string; readonly children?: string }) {
  return (
    <EmptyState icon={<IconTrash size={40} stroke={1.2} />} title={title}>
      {children}
    </EmptyState>
  )
}
