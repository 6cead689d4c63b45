import { Stack } from '@mantine/core'
import { PageHeading } from '../ui/page-heading.tsx'
import { DeletionsSection } from './deletions/deletions-section.tsx'
import { FailuresSection } from './failures/failures-section.tsx'
import { UploadsSection } from './uploads/uploads-section.tsx'

/** What is going on, and what went wrong. */
export function ActivityPage() {
  return (
    <>
      <PageHeading title="Activity" />
      <Stack gap={16}>
        <DeletionsSection />
        <FailuresSection />
        <UploadsSection />
      </Stack>
    </>
  )
}
