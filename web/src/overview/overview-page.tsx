import { Text } from '@mantine/core'
import { useStatus } from '../api/service-queries.ts'
import { formatDuration } from '../format/time.ts'
import { PageHeading } from '../ui/page-heading.tsx'
import { BucketsSection } from './buckets/buckets-section.tsx'
import { DriveSection } from './drive/drive-section.tsx'
import classes from './overview-page.module.css'

/** Whether it works, what it does, and what is stored. */
export function OverviewPage() {
  return (
    <>
      <PageHeading title="Overview" actions={<Running />} />
      <div className={classes.columns}>
        <BucketsSection />
        <DriveSection />
      </div>
    </>
  )
}

function Running() {
  const { data } = useStatus()
  if (data === undefined) return null
  return (
    <Text size="sm" c="dimmed">
      Bucketry {data.version}, up for {formatDuration(data.uptimeSeconds)}
    </Text>
  )
}
