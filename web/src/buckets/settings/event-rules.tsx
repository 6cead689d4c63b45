import {
  Button,
  Chip,
  Group,
  NativeSelect,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
} from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import type { NotificationRuleReply as NotificationRule } from '../../../../src/dashboard/management/bucket-option-schemas.ts'
import { useStatus } from '../../api/service-queries.ts'
import { bucketsTexts } from '../../texts/buckets.ts'
import { HelpButton } from '../../ui/help-button.tsx'
import { RemovableFieldset } from '../../ui/removable-fieldset.tsx'
import { freeId } from './bucket-draft.ts'

const targets = [
  { value: 'webhook', label: 'Webhook', setting: 'NOTIFY_WEBHOOK' },
  { value: 'redis', label: 'Redis', setting: 'NOTIFY_REDIS' },
] as const

const events = [
  { value: 's3:ObjectCreated:*', label: bucketsTexts.events.created },
  { value: 's3:ObjectRemoved:*', label: bucketsTexts.events.deleted },
  { value: 's3:LifecycleExpiration:*', label: bucketsTexts.events.expired },
] as const

interface EventRulesProps {
  readonly rules: readonly NotificationRule[]
  /** Undefined: this gateway keeps no rules for a bucket. */
  readonly onChange: ((rules: readonly NotificationRule[]) => void) | undefined
}

/** Where changes of the bucket's files are sent. */
export function EventRules({ rules, onChange }: EventRulesProps) {
  const settings = useStatus().data?.settings ?? []
  const settingOf = (wanted: string) => settings.find(({ name }) => name === wanted)
  const known = targets.filter(({ setting }) => settingOf(setting)?.isSet === true)
  const fixed = settingOf('NOTIFY_OBJECTS')?.value ?? ''
  const [first] = known
  if (first === undefined) {
    return (
      <Text size="sm" c="dimmed">
        {bucketsTexts.events.noReceiver}
        <HelpButton text={targets.map(({ setting }) => setting).join(', ')} />
      </Text>
    )
  }
  return (
    <Stack gap="sm">
      {fixed !== '' && (
        <Text size="sm">
          {bucketsTexts.events.fixed(fixed, known.map(({ label }) => label).join(', '))}
        </Text>
      )}
      {rules.map((rule, index) => (
        <RuleFields
          key={rule.id}
          title={bucketsTexts.events.rule(index + 1)}
          rule={rule}
          known={known}
          onChange={(changed) =>
            onChange?.(rules.map((other) => (other === rule ? changed : other)))
          }
          onRemove={() => onChange?.(rules.filter((other) => other !== rule))}
        />
      ))}
      {onChange !== undefined && (
        <Group>
          <Button
            variant="default"
            size="xs"
            leftSection={<IconPlus size={16} />}
            onClick={() => {
              const id = freeId('events', rules, rules.length + 1)
              const rule = { id, target: first.value, events: [events[0].value] }
              onChange([...rules, { ...rule, prefix: '', suffix: '' }])
            }}
          >
            {bucketsTexts.events.add}
          </Button>
        </Group>
      )}
    </Stack>
  )
}

interface RuleFieldsProps {
  readonly title: string
  readonly rule: NotificationRule
  readonly known: readonly (typeof targets)[number][]
  readonly onChange: (rule: NotificationRule) => void
  readonly onRemove: () => void
}

function RuleFields({ title, rule, known, onChange, onRemove }: RuleFieldsProps) {
  // S3 clients may have chosen single events.
  const others = rule.events.filter((event) => events.every(({ value }) => value !== event))
  const choices = [...events, ...others.map((event) => ({ value: event, label: event }))]
  const change = (part: Partial<NotificationRule>) => onChange({ ...rule, ...part })
  return (
    <RemovableFieldset title={title} onRemove={onRemove}>
      <Stack gap="xs">
        <Chip.Group multiple value={rule.events} onChange={(chosen) => change({ events: chosen })}>
          <Group gap={6}>
            {choices.map(({ value, label }) => (
              <Chip key={value} value={value} size="xs">
                {label}
              </Chip>
            ))}
          </Group>
        </Chip.Group>
        <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
          <NativeSelect
            label={bucketsTexts.events.receiver}
            value={rule.target}
            data={known.map(({ value, label }) => ({ value, label }))}
            onChange={({ currentTarget }) =>
              change({ target: currentTarget.value === 'redis' ? 'redis' : 'webhook' })
            }
          />
          <TextInput
            label={bucketsTexts.events.prefix}
            placeholder={bucketsTexts.allKeys}
            spellCheck={false}
            value={rule.prefix}
            onChange={({ currentTarget }) => change({ prefix: currentTarget.value })}
          />
          <TextInput
            label={bucketsTexts.events.suffix}
            placeholder={bucketsTexts.allKeys}
            spellCheck={false}
            value={rule.suffix}
            onChange={({ currentTarget }) => change({ suffix: currentTarget.value })}
          />
        </SimpleGrid>
      </Stack>
    </RemovableFieldset>
  )
}
