import { Stack, Title } from '@mantine/core'
import { IconBucket } from '@tabler/icons-react'
import { Link } from 'wouter'
import type { BucketStatus, BucketsReply } from '../../../src/console/management/replies.ts'
import { useBuckets } from '../api/service-queries.ts'
import { formatAmount, formatBytes } from '../format/bytes.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { PageTitle } from '../ui/page-title.tsx'
import { PublicBadge } from '../ui/public-badge.tsx'
import classes from './bucket-chooser.module.css'
import { locationPath } from './files-location.ts'

/** The list of buckets to open. */
export function BucketChooser() {
  return (
    <Stack gap="md">
      <PageTitle title="Files" />
      <Title order={1} size="h2">
        Files
      </Title>
      <Loaded query={useBuckets()} failure="The buckets could not be loaded">
        {({ buckets }) => <Buckets buckets={buckets} />}
      </Loaded>
    </Stack>
  )
}

function Buckets({ buckets }: Pick<BucketsReply, 'buckets'>) {
  if (buckets.length === 0) {
    return (
      <EmptyState icon={<IconBucket size={40} stroke={1.2} />} title="No buckets">
        List the buckets to serve in ALLOWED_BUCKETS and restart the gateway.
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
