import { Button } from '@mantine/core'
import { IconBucket, IconListSearch, IconPlus } from '@tabler/icons-react'
import { lazy, Suspense, useState } from 'react'
import { Link } from 'wouter'
import type {
  BucketStatus,
  BucketsReply,
} from '../../../src/dashboard/management/management-schemas.ts'
import { useBuckets } from '../api/service-queries.ts'
import { CreateBucketButton } from '../buckets/create-bucket-button.tsx'
import { PublicBadge } from '../buckets/public-badge.tsx'
import { useCreationObstacle } from '../buckets/use-creation-obstacle.ts'
import { formatAmount, formatBytes } from '../format/bytes.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import classes from './bucket-chooser.module.css'
import { locationPath } from './files-location.ts'

const SearchDialog = lazy(async () => {
  const { SearchDialog } = await import('./search/search-dialog.tsx')
  return { default: SearchDialog }
})

/** The list of buckets to open. */
export function BucketChooser() {
  const obstacle = useCreationObstacle()
  const buckets = useBuckets()
  const hasSome = (buckets.data?.buckets.length ?? 0) > 0
  return (
    <>
      <PageHeading
        title="Files"
        actions={
          hasSome && (
            <>
              <SearchButton />
              {obstacle === undefined && (
                <CreateBucketButton variant="default" leftSection={<IconPlus size={16} />}>
                  Create a bucket
                </CreateBucketButton>
              )}
            </>
          )
        }
      >
        {hasSome ? obstacle : undefined}
      </PageHeading>
      <Loaded query={buckets} failure="The buckets could not be loaded">
        {(reply) => <Buckets buckets={reply.buckets} obstacle={obstacle} />}
      </Loaded>
    </>
  )
}

function SearchButton() {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconListSearch size={16} />}
        onClick={() => setIsOpen(true)}
      >
        Search
      </Button>
      {isOpen && (
        <Suspense fallback={null}>
          <SearchDialog onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
  )
}

interface BucketsProps extends Pick<BucketsReply, 'buckets'> {
  readonly obstacle: string | undefined
}

function Buckets({ buckets, obstacle }: BucketsProps) {
  if (buckets.length === 0) {
    return (
      <EmptyState
        icon={<IconBucket size={40} stroke={1.2} />}
        title="No buckets yet"
        action={
          obstacle === undefined ? (
            <CreateBucketButton>Create the first bucket</CreateBucketButton>
          ) : undefined
        }
      >
        {obstacle ?? 'A bucket is a folder of the drive that S3 clients see.'}
      </EmptyState>
    )
  }
  return (
    <ul className={classes.list}>
      {buckets.map((bucket) => (
        <BucketItem key={bucket.name} bucket={bucket} />
      ))}
    </ul>
  )
}

function BucketItem({ bucket }: { readonly bucket: BucketStatus }) {
  const { name, objects, bytes } = bucket
  const figures =
    objects === null || bytes === null
      ? 'not counted yet'
      : `${formatAmount(objects, 'object')}, ${formatBytes(bytes)}`
  return (
    <li>
      <Link
        href={locationPath({ bucket: name, prefix: '', filter: '' })}
        className={classes.bucket ?? ''}
      >
        <IconBucket size={24} stroke={1.4} className={classes.icon} />
        <span className={classes.name}>{name}</span>
        <PublicBadge bucket={bucket} />
        <span className={classes.figures}>{figures}</span>
      </Link>
    </li>
  )
}
