import { Button, Group, Text, TextInput, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { StatusReply } from '../../../src/dashboard/management/management-schemas.ts'
import type { SettingsReply } from '../../../src/dashboard/management/settings-route.ts'
import { request } from '../api/client.ts'
import { useStatus } from '../api/service-queries.ts'
import { settingsTexts } from '../texts/settings.ts'
import { Loaded } from '../ui/loaded.tsx'
import { Section } from '../ui/section.tsx'
import { groupSettings, type SettingGroup } from './group-settings.ts'
import classes from './settings-section.module.css'

type Setting = StatusReply['settings'][number]

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
      title={settingsTexts.startup.title}
      actions={
        <Group gap={8}>
          <TextInput
            size="xs"
            aria-label={settingsTexts.startup.searchLabel}
            placeholder={settingsTexts.startup.search}
            leftSection={<IconSearch size={14} />}
            value={text}
            onChange={({ currentTarget }) => setText(currentTarget.value)}
          />
          <Button size="xs" variant="default" onClick={toggle} aria-pressed={isWhole}>
            {isWhole ? settingsTexts.startup.hideDefaults : settingsTexts.startup.showDefaults}
          </Button>
        </Group>
      }
    >
      <Text size="sm" c="dimmed" mb="sm">
        {settingsTexts.startup.text}
      </Text>
      <Loaded query={meanings} failure={settingsTexts.startup.failure} lines={8}>
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
        {text === '' ? settingsTexts.startup.allDefault : settingsTexts.startup.noMatch(text)}
      </Text>
    )
  }
  return groups.map(({ name, settings }) => (
    <section key={name} aria-label={settingsTexts.startup.topic(name)}>
      <Title order={3} size="h6" mt="md" mb={4}>
        {settingsTexts.startup.topic(name)}
      </Title>
      <dl className={classes.list}>
        {settings.map(({ setting, meaning }) => (
          <div key={setting.name} className={classes.setting}>
            <dt className={classes.name}>{setting.name}</dt>
            <dd className={setting.source === 'default' ? classes.unset : undefined}>
              {shownValue(setting)}
            </dd>
            <dd className={classes.source}>{settingsTexts.startup.sources[setting.source]}</dd>
            <dd className={classes.meaning} lang="en">
              {meaning}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  ))
}

function shownValue({ value, isSecret, isSet }: Setting): string {
  if (isSecret) return isSet ? settingsTexts.startup.hidden : settingsTexts.startup.notSet
  return value ?? settingsTexts.startup.notSet
}
