import { Stack } from '@mantine/core'
import { PageHeading } from '../ui/page-heading.tsx'
import { FileJobsSection } from './file-jobs/file-jobs-section.tsx'
import { RequestsSection } from './requests/requests-section.tsx'
import { UploadsSection } from './uploads/uploads-section.tsx'

/** Unfinished work, recent changes and failures. */
export function ActivityPage() {
  return (
    <>
      <PageHeading title="Activity">
        What has changed lately and what was refused or failed, in the dashboard and by S3 clients,
        and uploads that are not finished yet.
      </PageHeading>
      <Stack gap={16}>
        <FileJobsSection />
        <UploadsSection />
        <RequestsSection />
      </Stack>
    </>
  )
}
