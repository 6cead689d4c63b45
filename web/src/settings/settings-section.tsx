import { Button, Group, Text, TextInput, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { StatusReply } from '../../../src/dashboard/management/management-schemas.ts'
import type { SettingsReply } from '../../../src/dashboard/management/settings-route.ts'
import { request } from '../api/client.ts'
import { useStatus } from '../api/service-queries.ts'
import { Loaded } from '../ui/loaded.tsx'
import { Section } from '../ui/section.tsx'
import { groupSettings, type SettingGroup } from './group-settings.ts'
import classes from './settings-section.module.css'

type Setting = StatusReply['settings'][number]

const sources = { default: 'default', environment: 'environment', file: 'bucketry.env' } as const

/** The startup settings by topic, each with its meaning; defaults are shown on demand and searched. */
export function SettingsSection() {
  const [isWhole, { toggle }] = useDisclosure(false)
  const [text, setText] = useState('')
  const settings = useStatus().data?.settings
  const meanings = useQuery({
    queryKey: ['settings'],
    queryFn: ({ signal }) => request<SettingsReply>('/-/api/settings', { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  return (
    <Section
      title="Startup settings"
      actions={
        <Group gap={8}>
          <TextInput
            size="xs"
            aria-label="Search the settings"
            placeholder="Search"
            leftSection={<IconSearch size={14} />}
            value={text}
            onChange={({ currentTarget }) => setText(currentTarget.value)}
          />
          <Button size="xs" variant="default" onClick={toggle} aria-pressed={isWhole}>
            {isWhole ? 'Hide defaults' : 'Show defaults'}
          </Button>
        </Group>
      }
    >
      <Text size="sm" c="dimmed" mb="sm">
        They are read when the gateway starts: change them in its environment or in bucketry.env,
        then restart it.
      </Text>
      <Loaded query={meanings} failure="The settings could not be loaded" lines={8}>
        {({ groups }) => (
          <Groups groups={groupSettings(groups, settings ?? [], { isWhole, text })} text={text} />
        )}
      </Loaded>
    </Section>
  )
}

interface GroupsProps {
  readonly groups: readonly SettingGroup[]
  readonly text: string
}

function Groups({ groups, text }: GroupsProps) {
  if (groups.length === 0) {
    return (
      <Text size="sm" c="dimmed" role="status">
        {text === '' ? 'All settings have their default values.' : `No setting matches “${text}”.`}
      </Text>
    )
  }
  return groups.map(({ name, settings }) => (
    <section key={name} aria-label={name}>
      <Title order={3} size="h6" mt="md" mb={4}>
        {name}
      </Title>
      <dl className={classes.list}>
        {settings.map(({ setting, meaning }) => (
          <div key={setting.name} className={classes.setting}>
            <dt className={classes.name}>{setting.name}</dt>
            <dd className={setting.source === 'default' ? classes.unset : undefined}>
              {shownValue(setting)}
            </dd>
            <dd className={classes.source}>{sources[setting.source]}</dd>
            <dd className={classes.meaning}>{meaning}</dd>
          </div>
        ))}
      </dl>
    </section>
  ))
}

function shownValue({ value, isSecret, isSet }: Setting): string {
  if (isSecret) return isSet ? 'set, not shown' : 'not set'
  return value ?? 'not set'
}
