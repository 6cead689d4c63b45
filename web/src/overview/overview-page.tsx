import { Group, Stack, Text, Title } from '@mantine/core'
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
    <Stack gap={16}>
      <Group align="baseline" justify="space-between" gap="4px 16px">
        <PageTitle title="Overview" />
        <Title order={1} size="h2">
          Overview
        </Title>
        <Running />
      </Group>
      <div className={classes.columns}>
        <Stack gap={16} miw={0}>
          <BucketsSection />
          <ConnectSection />
          <FailuresSection />
        </Stack>
        <Stack gap={16} miw={0}>
          <DriveSection />
          <UploadsSection />
          <DeletionsSection />
          <SettingsSection />
        </Stack>
      </div>
    </Stack>
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
