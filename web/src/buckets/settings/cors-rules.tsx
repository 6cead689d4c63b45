import { Button, Chip, Group, JsonInput, NumberInput, Stack, Text, Textarea } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import type { CorsRuleReply as CorsRule } from '../../../../src/dashboard/management/bucket-option-schemas.ts'
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
            title={`CORS rule ${index + 1}`}
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
            Add a CORS rule
          </Button>
        )}
        <Button variant="subtle" size="xs" onClick={() => setIsJson(!isJson)}>
          {isJson ? 'Edit as fields' : 'Edit as JSON'}
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
      label="CORS rules as JSON"
      description="As in the consoles of AWS and Cloudflare R2."
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
          setProblem(`${error instanceof Error ? error.message : error} The rules stay as before.`)
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
          label="Origins"
          description="One per line. * stands for any characters."
          placeholder="https://app.example"
          required
          {...lines('allowedOrigins')}
        />
        <div>
          <Text size="sm" fw={500} mb={4}>
            Methods
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
        <Textarea label="Headers that pages may send" {...lines('allowedHeaders')} />
        <Textarea label="Headers that pages may read" {...lines('exposeHeaders')} />
        <NumberInput
          label="Seconds that browsers may cache the answer"
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
            ID: {id}
          </Text>
        )}
      </Stack>
    </RemovableFieldset>
  )
}
