import { Stack } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useBuckets, useStatus, useTraffic } from '../api/service-queries.ts'
import { CreateBucketButton } from '../buckets/create-bucket-button.tsx'
import { BucketsTable } from '../buckets/table/buckets-table.tsx'
import { useCreationObstacle } from '../buckets/use-creation-obstacle.ts'
import { bucketsTexts } from '../texts/buckets.ts'
import { overviewTexts } from '../texts/overview.ts'
import { Loaded } from '../ui/loaded.tsx'
import { Loading } from '../ui/loading.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import { Section } from '../ui/section.tsx'
import { DriveSection } from './drive/drive-section.tsx'
import { HealthSection } from './health/health-section.tsx'
import classes from './overview-page.module.css'
import { TrafficSection } from './traffic/traffic-section.tsx'

/** What needs attention, then the contents and the traffic of the service. */
export function OverviewPage() {
  const queries = [useStatus(), useBuckets(), useTraffic('hour')]
  // Sections that come one after the other would move those below them.
  if (queries.some(({ isPending, errorUpdateCount }) => isPending && errorUpdateCount === 0)) {
    return (
      <>
        <PageHeading title={overviewTexts.title} />
        <Loading />
      </>
    )
  }
  return (
    <>
      <PageHeading title={overviewTexts.title} />
      <Stack gap={16}>
        <HealthSection />
        <div className={classes.columns}>
          <BucketsSection />
          <DriveSection />
        </div>
        <TrafficSection />
      </Stack>
    </>
  )
}

function BucketsSection() {
  const isPossible = useCreationObstacle() === undefined
  return (
    <Section
      title={overviewTexts.buckets}
      actions={
        isPossible && (
          <CreateBucketButton size="xs" variant="default" leftSection={<IconPlus size={16} />}>
            {bucketsTexts.create}
          </CreateBucketButton>
        )
      }
    >
      <Loaded query={useBuckets()} failure={bucketsTexts.failure}>
        {({ buckets }) => <BucketsTable buckets={buckets} />}
      </Loaded>
    </Section>
  )
}
