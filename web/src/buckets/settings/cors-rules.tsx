import { Button, Chip, Group, JsonInput, NumberInput, Stack, Text, Textarea } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import type { CorsRuleReply as CorsRule } from '../../../../src/dashboard/management/bucket-option-schemas.ts'
import { bucketsTexts } from '../../texts/buckets.ts'
import { RemovableFieldset } from '../../ui/removable-fieldset.tsx'
import { corsJson, parseCorsJson } from './cors-json.ts'

const methods = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE'] as const

/** What the page of an app needs to list, read and write. */
const newRule: CorsRule = {
  allowedOrigins: [],
  allowedMethods: [...methods],
  allowedHeaders: ['*'],
  exposeHeaders: ['ETag'],
  maxAgeSeconds: 3600,
}

interface CorsRulesProps {
  readonly rules: readonly CorsRule[]
  readonly onChange: (rules: readonly CorsRule[]) => void
}

/** The CORS rules of a bucket, as fields or as AWS's JSON. */
export function CorsRules({ rules, onChange }: CorsRulesProps) {
  const [isJson, setIsJson] = useState(false)
  return (
    <Stack gap="sm">
      {isJson ? (
        <CorsText rules={rules} onChange={onChange} />
      ) : (
        rules.map((rule, index) => (
          <RuleFields
            // biome-ignore lint/suspicious/noArrayIndexKey: a rule has nothing else that stays
            key={index}
            title={bucketsTexts.cors.rule(index + 1)}
            rule={rule}
            onChange={(changed) =>
              onChange(rules.map((other) => (other === rule ? changed : other)))
            }
            onRemove={() => onChange(rules.filter((other) => other !== rule))}
          />
        ))
      )}
      <Group gap="xs">
        {!isJson && (
          <Button
            variant="default"
            size="xs"
            leftSection={<IconPlus size={16} />}
            onClick={() => onChange([...rules, newRule])}
          >
            {bucketsTexts.cors.add}
          </Button>
        )}
        <Button variant="subtle" size="xs" onClick={() => setIsJson(!isJson)}>
          {isJson ? bucketsTexts.cors.asFields : bucketsTexts.cors.asJson}
        </Button>
      </Group>
    </Stack>
  )
}

/** The text stays as it is typed; the rules follow it while it is valid. */
function CorsText({ rules, onChange }: CorsRulesProps) {
  const [text, setText] = useState(() => corsJson(rules))
  const [problem, setProblem] = useState<string>()
  return (
    <JsonInput
      label={bucketsTexts.cors.json}
      description={bucketsTexts.cors.jsonHint}
      autosize
      minRows={6}
      spellCheck={false}
      value={text}
      error={problem}
      onChange={(typed) => {
        setText(typed)
        try {
          onChange(parseCorsJson(typed))
          setProblem(undefined)
        } catch (error) {
          setProblem(
            bucketsTexts.cors.stays(error instanceof Error ? error.message : String(error)),
          )
        }
      }}
    />
  )
}

interface RuleFieldsProps {
  readonly title: string
  readonly rule: CorsRule
  readonly onChange: (rule: CorsRule) => void
  readonly onRemove: () => void
}

function RuleFields({ title, rule, onChange, onRemove }: RuleFieldsProps) {
  const { id, maxAgeSeconds, ...lists } = rule
  const change = (part: Partial<CorsRule>) => onChange({ ...rule, ...part })
  const lines = (field: 'allowedOrigins' | 'allowedHeaders' | 'exposeHeaders') => ({
    autosize: true,
    minRows: 1,
    spellCheck: false,
    value: lists[field].join('\n'),
    onChange: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
      change({ [field]: currentTarget.value === '' ? [] : currentTarget.value.split('\n') }),
  })
  return (
    <RemovableFieldset title={title} onRemove={onRemove}>
      <Stack gap="xs">
        <Textarea
          label={bucketsTexts.cors.origins}
          description={bucketsTexts.cors.originsHint}
          placeholder="https://app.example"
          required
          {...lines('allowedOrigins')}
        />
        <div>
          <Text size="sm" fw={500} mb={4}>
            {bucketsTexts.cors.methods}
          </Text>
          <Chip.Group
            multiple
            value={lists.allowedMethods}
            onChange={(chosen) =>
              change({ allowedMethods: methods.filter((one) => chosen.includes(one)) })
            }
          >
            <Group gap={6}>
              {methods.map((method) => (
                <Chip key={method} value={method} size="xs">
                  {method}
                </Chip>
              ))}
            </Group>
          </Chip.Group>
        </div>
        <Textarea label={bucketsTexts.cors.maySend} {...lines('allowedHeaders')} />
        <Textarea label={bucketsTexts.cors.mayRead} {...lines('exposeHeaders')} />
        <NumberInput
          label={bucketsTexts.cors.cache}
          min={0}
          allowDecimal={false}
          value={maxAgeSeconds ?? ''}
          onChange={(value) => {
            const { maxAgeSeconds: _, ...without } = rule
            onChange(typeof value === 'number' ? { ...without, maxAgeSeconds: value } : without)
          }}
        />
        {id !== undefined && (
          <Text size="xs" c="dimmed">
            {bucketsTexts.cors.id(id)}
          </Text>
        )}
      </Stack>
    </RemovableFieldset>
  )
}
