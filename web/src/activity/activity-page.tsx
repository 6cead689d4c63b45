import { Stack } from '@mantine/core'
import { activityTexts } from '../texts/activity.ts'
import { PageHeading } from '../ui/page-heading.tsx'
import { FileJobsSection } from './file-jobs/file-jobs-section.tsx'
import { RequestsSection } from './requests/requests-section.tsx'
import { UploadsSection } from './uploads/uploads-section.tsx'

/** Unfinished work, recent changes and failures. */
export function ActivityPage() {
  return (
    <>
      <PageHeading title={activityTexts.title}>{activityTexts.text}</PageHeading>
      <Stack gap={16}>
        <FileJobsSection />
        <UploadsSection />
        <RequestsSection />
      </Stack>
    </>
  )
}
