import { Badge, Stack, Title } from '@mantine/core'
import { IconBucket } from '@tabler/icons-react'
import { Link } from 'wouter'
import type { BucketStatus } from '../../../src/console/management/replies.ts'
import { formatAmount, formatBytes } from '../format/bytes.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { FailureNotice } from '../ui/failure-notice.tsx'
import { PageLoading } from '../ui/page-loading.tsx'
import { PageTitle } from '../ui/page-title.tsx'
import classes from './bucket-chooser.module.css'
import { locationPath } from './files-location.ts'
import { useBuckets } from './use-buckets.ts'

/** The list of buckets to open. */
export function BucketChooser() {
  return (
    <Stack gap="md">
      <PageTitle title="Files" />
      <Title order={1} size="h2">
        Files
      </Title>
      <Buckets />
    </Stack>
  )
}

function Buckets() {
  const { data, error, refetch } = useBuckets()
  if (data === undefined) {
    if (error === null) return <PageLoading />
    return (
      <FailureNotice
        title="The buckets could not be loaded"
        error={error}
        onRetry={() => void refetch()}
      />
    )
  }
  if (data.buckets.length === 0) {
    return (
      <EmptyState icon={<IconBucket size={40} stroke={1.2} />} title="No buckets">
        List the buckets to serve in ALLOWED_BUCKETS and restart the gateway.
      </EmptyState>
    )
  }
  return (
    <ul className={classes.list}>
      {data.buckets.map((bucket) => (
        <BucketItem key={bucket.name} bucket={bucket} />
      ))}
    </ul>
  )
}

function BucketItem({ bucket }: { readonly bucket: BucketStatus }) {
  const { name, isPublic, objects, bytes } = bucket
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
        {isPublic && (
          <Badge variant="light" color="orange" size="sm" tt="none" title="Anyone can read it">
            Public
          </Badge>
        )}
        <span className={classes.figures}>{figures}</span>
      </Link>
    </li>
  )
}
