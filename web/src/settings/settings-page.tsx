import { Stack } from '@mantine/core'
import { PageHeading } from '../ui/page-heading.tsx'
import { SettingsSection } from './settings-section.tsx'

/** What is set, and where. */
export function SettingsPage() {
  return (
    <>
      <PageHeading title="Settings">
        They are set where the gateway is started, and read at its start. Change them there, then
        restart it.
      </PageHeading>
      <Stack gap={16}>
        <SettingsSection />
      </Stack>
    </>
  )
}
