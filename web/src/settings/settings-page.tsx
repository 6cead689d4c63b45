import { Stack } from '@mantine/core'
import { PageHeading } from '../ui/page-heading.tsx'
import { AboutSection } from './about-section.tsx'
import { ChangedSection } from './changed-section.tsx'
import classes from './settings-page.module.css'
import { SettingsSection } from './settings-section.tsx'

/** What is set, and where it comes from. */
export function SettingsPage() {
  return (
    <>
      <PageHeading title="Settings">
        What is set where the gateway is started is read at its start: change it there, then restart
        the gateway.
      </PageHeading>
      <div className={classes.columns}>
        <SettingsSection />
        <Stack gap={16}>
          <ChangedSection />
          <AboutSection />
        </Stack>
      </div>
    </>
  )
}
