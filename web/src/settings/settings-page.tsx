import { Stack } from '@mantine/core'
import { PageHeading } from '../ui/page-heading.tsx'
import { AboutSection } from './about-section.tsx'
import { ChangedSection } from './changed-section.tsx'
import classes from './settings-page.module.css'
import { SettingsSection } from './settings-section.tsx'
import { SignInSection } from './sign-in-section.tsx'

/** The settings and where they come from. */
export function SettingsPage() {
  return (
    <>
      <PageHeading title="Settings" />
      <div className={classes.columns}>
        <SettingsSection />
        <Stack gap={16}>
          <SignInSection />
          <ChangedSection />
          <AboutSection />
        </Stack>
      </div>
    </>
  )
}
