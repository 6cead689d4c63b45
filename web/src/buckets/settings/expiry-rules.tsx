import { Button, Group, SimpleGrid, Text, TextInput } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { bucketsTexts } from '../../texts/buckets.ts'
import { RemovableFieldset } from '../../ui/removable-fieldset.tsx'
import { newRule, type RuleDraft, unshownDetails } from './bucket-draft.ts'

interface ExpiryRulesProps {
  readonly rules: readonly RuleDraft[]
  readonly onChange: (rules: readonly RuleDraft[]) => void
}

/** What is removed from a bucket after some time. */
export function ExpiryRules({ rules, onChange }: ExpiryRulesProps) {
  return (
    <>
      {rules.map((draft, index) => (
        <RuleFields
          key={draft.rule.id}
          draft={draft}
          title={bucketsTexts.expiry.rule(index + 1)}
          onChange={(changed) =>
            onChange(rules.map((other) => (other === draft ? changed : other)))
          }
          onRemove={() => onChange(rules.filter((other) => other !== draft))}
        />
      ))}
      <Group>
        <Button
          variant="default"
          size="xs"
          leftSection={<IconPlus size={16} />}
          onClick={() => onChange([...rules, newRule(rules)])}
        >
          {bucketsTexts.expiry.add}
        </Button>
      </Group>
    </>
  )
}

interface RuleFieldsProps {
  readonly draft: RuleDraft
  readonly title: string
  readonly onChange: (draft: RuleDraft) => void
  readonly onRemove: () => void
}

function RuleFields({ draft, title, onChange, onRemove }: RuleFieldsProps) {
  const { date, noncurrentDays, expiresMarkers } = draft.rule
  const doesMore = date !== null || noncurrentDays !== undefined || expiresMarkers === true
  return (
    <RemovableFieldset title={title} onRemove={onRemove}>
      <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
        <TextInput
          label={bucketsTexts.events.prefix}
          placeholder={bucketsTexts.allKeys}
          spellCheck={false}
          value={draft.prefix}
          onChange={(event) => onChange({ ...draft, prefix: event.currentTarget.value })}
        />
        <TextInput
          label={bucketsTexts.expiry.after}
          placeholder={date === null ? bucketsTexts.never : bucketsTexts.expiry.on(date)}
          required={!doesMore && draft.uploadDays === ''}
          inputMode="numeric"
          pattern="[1-9][0-9]*"
          value={draft.days}
          onChange={(event) => onChange({ ...draft, days: event.currentTarget.value })}
        />
        <TextInput
          label={bucketsTexts.expiry.abort}
          placeholder={bucketsTexts.never}
          inputMode="numeric"
          pattern="[1-9][0-9]*"
          value={draft.uploadDays}
          onChange={(event) => onChange({ ...draft, uploadDays: event.currentTarget.value })}
        />
      </SimpleGrid>
      {unshownDetails(draft.rule).map((detail) => (
        <Text key={detail} size="xs" c="dimmed" mt="xs">
          {detail}
        </Text>
      ))}
    </RemovableFieldset>
  )
}
