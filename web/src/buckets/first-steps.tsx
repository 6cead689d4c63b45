import { Button, Text, Title } from '@mantine/core'
import { Link } from 'wouter'
import type { BucketStatus } from '../../../src/dashboard/management/management-schemas.ts'
import { useBuckets } from '../api/service-queries.ts'
import { bucketPath } from './bucket-tabs.tsx'
import classes from './first-steps.module.css'

/** What to do with a new gateway. Shown until a bucket has an object. */
export function FirstSteps() {
  const buckets = useBuckets().data?.buckets ?? []
  const place = buckets.find(({ isReadOnly }) => !isReadOnly)
  if (place === undefined || !buckets.every(isEmpty)) return null
  return (
    <ol className={classes.steps} aria-label="First steps">
      {stepsIn(place.name).map(({ title, text, href, action }, index) => (
        <li key={title} className={classes.step}>
          <Title order={2} size="h5">
            {index + 1}. {title}
          </Title>
          <Text size="sm" c="dimmed" className={classes.text ?? ''}>
            {text}
          </Text>
          <Button
            component={Link}
            href={href}
            size="xs"
            variant={index === 0 ? 'filled' : 'default'}
          >
            {action}
          </Button>
        </li>
      ))}
    </ol>
  )
}

function isEmpty({ objects }: BucketStatus): boolean {
  return objects === 0
}

function stepsIn(bucket: string) {
  const files = bucketPath(bucket, 'files')
  return [
    {
      title: 'Upload something',
      text: `Open ${bucket} and drop files or folders on it.`,
      href: files,
      action: `Open ${bucket}`,
    },
    {
      title: 'Connect a client',
      text: 'Settings to paste for backup programs, sync tools and your own apps.',
      href: '/connect',
      action: 'Show the settings',
    },
    {
      title: 'Share a link',
      text: 'Choose Share in the menu of a file. Who opens the link needs no account.',
      href: bucketPath(bucket, 'links'),
      action: `Links of ${bucket}`,
    },
  ]
}
