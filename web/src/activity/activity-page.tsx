import { Stack } from '@mantine/core'
import { PageHeading } from '../ui/page-heading.tsx'
import { DeletionsSection } from './deletions/deletions-section.tsx'
import { RequestsSection } from './requests/requests-section.tsx'
import { UploadsSection } from './uploads/uploads-section.tsx'

/** What is going on, what changed, and what went wrong. */
export function ActivityPage() {
  return (
    <>
      <PageHeading title="Activity">
        The latest requests that changed something or failed, and what is not finished yet.
      </PageHeading>
      <Stack gap={16}>
        <DeletionsSection />
        <UploadsSection />
        <RequestsSection />
      </Stack>
    </>
  )
}
