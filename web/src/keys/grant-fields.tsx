import { Checkbox, Group, NativeSelect, SimpleGrid, TextInput } from '@mantine/core'
import { useState } from 'react'
import { keysTexts } from '../texts/keys.ts'
import { RemovableFieldset } from '../ui/removable-fieldset.tsx'
import type { GrantDraft } from './key-draft.ts'
import { type Action, actionLabels, chosenActions, presetOf, presets } from './key-text.ts'

interface GrantFieldsProps {
  readonly grant: GrantDraft
  readonly title: string
  readonly buckets: readonly string[]
  /** The error message of the API for a field of the grant. */
  readonly errorAt: (field: string) => string | undefined
  readonly onChange: (grant: GrantDraft) => void
  /** Absent for the only grant. */
  readonly onRemove?: (() => void) | undefined
}

const custom = 'custom'

/** A grant of an access key: a bucket, a prefix and actions. */
export function GrantFields(props: GrantFieldsProps) {
  const { grant, title, buckets, errorAt, onChange, onRemove } = props
  const { bucket, prefix, actions } = grant
  const names = buckets.includes(bucket) || bucket === '*' ? buckets : [...buckets, bucket]
  const setActions = (chosen: readonly Action[]) => onChange({ ...grant, actions: chosen })
  return (
    <RemovableFieldset title={title} onRemove={onRemove}>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <NativeSelect
          label={keysTexts.grant.bucket}
          value={bucket}
          error={errorAt('bucket')}
          data={[
            { value: '*', label: keysTexts.grant.allBuckets },
            ...names.map((name) => ({ value: name, label: name })),
          ]}
          onChange={(event) => onChange({ ...grant, bucket: event.currentTarget.value })}
        />
        <TextInput
          label={keysTexts.grant.prefix}
          placeholder={keysTexts.grant.allKeys}
          spellCheck={false}
          autoComplete="off"
          value={prefix}
          error={errorAt('prefix')}
          onChange={(event) => onChange({ ...grant, prefix: event.currentTarget.value })}
        />
      </SimpleGrid>
      <Rights actions={actions} error={errorAt('actions')} onChange={setActions} />
    </RemovableFieldset>
  )
}

interface RightsProps {
  readonly actions: readonly Action[]
  readonly error: string | undefined
  readonly onChange: (actions: readonly Action[]) => void
}

function Rights({ actions, error, onChange }: RightsProps) {
  const [isCustom, setIsCustom] = useState(presetOf(actions) === undefined)
  const preset = isCustom ? custom : (presetOf(actions) ?? custom)
  return (
    <>
      <NativeSelect
        mt="sm"
        label={keysTexts.grant.rights}
        value={preset}
        error={error}
        data={[
          ...presets.map(({ id, label }) => ({ value: id, label })),
          { value: custom, label: keysTexts.grant.choose },
        ]}
        onChange={(event) => {
          const chosen = presets.find(({ id }) => id === event.currentTarget.value)
          setIsCustom(chosen === undefined)
          if (chosen !== undefined) onChange(chosen.actions)
        }}
      />
      {preset === custom && (
        <Checkbox.Group
          mt="sm"
          label={keysTexts.grant.actions}
          value={[...actions]}
          onChange={(values) => onChange(chosenActions(actions, values))}
        >
          <Group mt={6} gap="8px 16px" align="flex-start">
            {actionLabels.map(({ value, label, more }) => (
              <Checkbox key={value} value={value} label={label} description={more} />
            ))}
          </Group>
        </Checkbox.Group>
      )}
    </>
  )
}
