import { Text, Title } from '@mantine/core'
import { useStatus } from '../api/service-queries.ts'
import { formatDuration } from '../format/time.ts'
import { PageTitle } from '../ui/page-title.tsx'
import { BucketsSection } from './buckets/buckets-section.tsx'
import { ConnectSection } from './connect/connect-section.tsx'
import { DeletionsSection } from './deletions/deletions-section.tsx'
import { DriveSection } from './drive/drive-section.tsx'
import { FailuresSection } from './failures/failures-section.tsx'
import classes from './overview-page.module.css'
import { SettingsSection } from './settings/settings-section.tsx'
import { UploadsSection } from './uploads/uploads-section.tsx'

/** How to connect, what is stored, and current activity. */
export function OverviewPage() {
  return (
    <div className={classes.page}>
      <div className={classes.head}>
        <PageTitle title="Overview" />
        <Title order={1} size="h2">
          Overview
        </Title>
        <Running />
      </div>
      <div className={classes.columns}>
        <div className={classes.column}>
          <BucketsSection />
          <ConnectSection />
          <FailuresSection />
        </div>
        <div className={classes.column}>
          <DriveSection />
          <UploadsSection />
          <DeletionsSection />
          <SettingsSection />
        </div>
      </div>
    </div>
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
