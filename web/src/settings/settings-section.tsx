import { Button, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { StatusReply } from '../../../src/dashboard/management/management-schemas.ts'
import { useStatus } from '../api/service-queries.ts'
import { Loaded } from '../ui/loaded.tsx'
import { Section } from '../ui/section.tsx'
import classes from './settings-section.module.css'

type Setting = StatusReply['settings'][number]

const sources = { default: 'default', environment: 'environment', file: 'bucketry.env' } as const

/** The effective settings and where they come from; defaults are shown on demand. */
export function SettingsSection() {
  const [isWhole, { toggle }] = useDisclosure(false)
  return (
    <Section
      title="Set at startup"
      actions={
        <Button size="compact-xs" variant="default" onClick={toggle} aria-pressed={isWhole}>
          {isWhole ? 'Hide defaults' : 'Show defaults'}
        </Button>
      }
    >
      <Loaded query={useStatus()} failure="The settings could not be loaded" lines={8}>
        {({ settings }) => (
          <Settings settings={settings.filter((one) => isWhole || isChosen(one))} />
        )}
      </Loaded>
    </Section>
  )
}

function Settings({ settings }: { readonly settings: readonly Setting[] }) {
  if (settings.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        All settings have their default values.
      </Text>
    )
  }
  return (
    <dl className={classes.list}>
      {settings.map((setting) => (
        <div key={setting.name} className={classes.setting}>
          <dt className={classes.name}>{setting.name}</dt>
          <dd className={isChosen(setting) ? undefined : classes.unset}>{shownValue(setting)}</dd>
          <dd className={classes.source}>{sources[setting.source]}</dd>
        </div>
      ))}
    </dl>
  )
}

function isChosen({ source }: Setting): boolean {
  return source !== 'default'
}

function shownValue({ value, isSecret, isSet }: Setting): string {
  if (isSecret) return isSet ? 'set, not shown' : 'not set'
  return value ?? 'not set'
}
