import { Stack } from '@mantine/core'
import { settingsTexts } from '../texts/settings.ts'
import { PageHeading } from '../ui/page-heading.tsx'
import { AboutSection } from './about-section.tsx'
import { ChangedSection } from './changed-section.tsx'
import { LanguageSection } from './language-section.tsx'
import classes from './settings-page.module.css'
import { SettingsSection } from './settings-section.tsx'
import { SignInSection } from './sign-in-section.tsx'

/** The settings and where they come from. */
export function SettingsPage() {
  return (
    <>
      <PageHeading title={settingsTexts.title} />
      <div className={classes.columns}>
        <Stack gap={16}>
          <LanguageSection />
          <SignInSection />
          <ChangedSection />
          <AboutSection />
        </Stack>
        <SettingsSection />
      </div>
    </>
  )
}
