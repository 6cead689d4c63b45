import { Anchor, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { StatusReply } from '../../../src/console/management/replies.ts'
import { useStatus } from '../api/service-queries.ts'
import { Section } from '../ui/section.tsx'
import classes from './settings-section.module.css'

type Setting = StatusReply['settings'][number]

/** The effective settings; defaults are shown on demand. */
export function SettingsSection() {
  const { data } = useStatus()
  const [isWhole, { toggle }] = useDisclosure(false)
  if (data === undefined) return null
  const settings = data.settings.filter(({ isSet }) => isWhole || isSet)
  return (
    <Section
      title="Settings"
      actions={
        <Anchor component="button" type="button" size="sm" onClick={toggle} aria-pressed={isWhole}>
          {isWhole ? 'Hide defaults' : 'Show defaults'}
        </Anchor>
      }
    >
      {settings.length === 0 && (
        <Text size="sm" c="dimmed">
          All settings have their default values.
        </Text>
      )}
      <dl className={classes.list}>
        {settings.map((setting) => (
          <div key={setting.name} className={classes.setting}>
            <dt>{setting.name}</dt>
            <dd className={setting.isSet ? classes.set : classes.unset}>{shownValue(setting)}</dd>
          </div>
        ))}
      </dl>
    </Section>
  )
}

function shownValue({ value, isSecret, isSet }: Setting): string {
  if (isSecret) return isSet ? 'set, not shown' : 'not set'
  return value ?? 'not set'
}
