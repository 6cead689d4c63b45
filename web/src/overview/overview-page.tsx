import { Stack } from '@mantine/core'
import { PageHeading } from '../ui/page-heading.tsx'
import { BucketsSection } from './buckets/buckets-section.tsx'
import { DriveSection } from './drive/drive-section.tsx'
import { HealthSection } from './health/health-section.tsx'
import classes from './overview-page.module.css'
import { TrafficSection } from './traffic/traffic-section.tsx'

/** The health, traffic and contents of the service. */
export function OverviewPage() {
  return (
    <>
      <PageHeading title="Overview" />
      <Stack gap={16}>
        <HealthSection />
        <TrafficSection />
        <div className={classes.columns}>
          <BucketsSection />
          <DriveSection />
        </div>
      </Stack>
    </>
  )
}
