import { NativeSelect, Text } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import { useSearch } from 'wouter/use-browser-location'
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
  const shown = chosen === '' ? buckets : buckets.filter(({ name }) => name === chosen)
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
        onChange={({ currentTarget: { value } }) =>
          navigate(value === '' ? path : `${path}?bucket=${value}`, { replace: true })
        }
      />
      <div className={classes.buckets}>
        {shown.map((bucket) => (
          <BucketTrashes key={bucket.name} bucket={bucket} isAlone={chosen !== ''} />
        ))}
      </div>
      <div className={classes.none}>
        <NoTrash title="The trash is empty" />
      </div>
    </>
  )
}

interface BucketTrashesProps {
  readonly bucket: BucketStatus
  /** Whether only this bucket is shown: then it also says why it has no trash. */
  readonly isAlone: boolean
}

function BucketTrashes({ bucket: { name, versioning }, isAlone }: BucketTrashesProps) {
  const hasVersions = versioning !== 'off'
  return (
    <>
      {hasVersions && (
        <Section title={`Deleted from ${name}`}>
          <Text size="sm" c="dimmed" mb="md">
            This bucket keeps versions: deleted files can be restored until you or a lifecycle rule
            delete their versions.
          </Text>
          <DeletedList bucket={name} prefix="" />
        </Section>
      )}
      <BucketTrash bucket={name} hasVersions={hasVersions} isAlone={isAlone} />
    </>
  )
}

interface BucketTrashProps {
  readonly bucket: string
  /** Whether the trash has only what was deleted while versions were off. */
  readonly hasVersions: boolean
  readonly isAlone: boolean
}

function BucketTrash({ bucket, hasVersions, isAlone }: BucketTrashProps) {
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
    <Loaded query={query} failure={`The trash of ${bucket} could not be loaded`}>
      {({ pages }) => {
        const [first] = pages
        const items = pages.flatMap((page) => page.items)
        if (first === undefined || items.length === 0) {
          return hasVersions || !isAlone ? null : <NothingThere trash={first} />
        }
        return (
          <Section
            title={hasVersions ? `Deleted from ${bucket} while versions were off` : bucket}
            actions={<EmptyTrashButton bucket={bucket} onEnd={refresh} />}
          >
            <Text size="sm" c="dimmed" role="status" mb="xs">
              {figuresText(first)}
            </Text>
            <RowList>
              {items.map((item) => (
                <TrashRow
                  key={item.id}
                  bucket={bucket}
                  item={item}
                  keptDays={first.days}
                  onEnd={refresh}
                />
              ))}
            </RowList>
            <MoreButton query={query} />
          </Section>
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
  return null
}

function NoTrash({ title, children }: { readonly title: string; readonly children?: string }) {
  return (
    <EmptyState icon={<IconTrash size={40} stroke={1.2} />} title={title}>
      {children}
    </EmptyState>
  )
}
