import { Button, Text, Title } from '@mantine/core'
import { Link } from 'wouter'
import type { BucketStatus } from '../../../src/dashboard/management/management-schemas.ts'
import { useBuckets } from '../api/service-queries.ts'
import { bucketsTexts } from '../texts/buckets.ts'
import { bucketPath } from './bucket-tabs.tsx'
import classes from './first-steps.module.css'

/** What to do with a new gateway. Shown until a bucket has an object. */
export function FirstSteps() {
  const buckets = useBuckets().data?.buckets ?? []
  const place = buckets.find(({ isReadOnly }) => !isReadOnly)
  if (place === undefined || !buckets.every(isEmpty)) return null
  return (
    <ol className={classes.steps} aria-label={bucketsTexts.steps.title}>
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
      title: bucketsTexts.steps.upload,
      text: bucketsTexts.steps.uploadText(bucket),
      href: files,
      action: bucketsTexts.steps.open(bucket),
    },
    {
      title: bucketsTexts.steps.connect,
      text: bucketsTexts.steps.connectText,
      href: '/connect',
      action: bucketsTexts.steps.connectAction,
    },
    {
      title: bucketsTexts.steps.share,
      text: bucketsTexts.steps.shareText,
      href: bucketPath(bucket, 'links'),
      action: bucketsTexts.steps.linksOf(bucket),
    },
  ]
}
