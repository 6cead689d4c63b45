import { SimpleGrid, TagsInput, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { ModelKeyReply } from '../../../../src/models/keys/model-key-routes.ts'
import { ApiError } from '../../api/api-error.ts'
import { frameTexts } from '../../texts/frame.ts'
import { modelsTexts } from '../../texts/models.ts'
import { FormDialog, NameInput } from '../../ui/form-dialog.tsx'
import { useListedModels } from '../routing-queries.ts'
import { bodyOf, draftOf, limitFields, type ModelKeyDraft } from './model-key-draft.ts'
import { useModelKeyAction } from './model-keys-queries.ts'

interface ModelKeyDialogProps<Reply> {
  /** Absent for a new one. */
  readonly modelKey?: ModelKeyReply
  readonly onDone: (reply: Reply) => void
  readonly onClose: () => void
}

/** Maximum suggestions shown at a time. */
const maxSuggestions = 50

/** The form of a model key. */
export function ModelKeyDialog<Reply>(props: ModelKeyDialogProps<Reply>) {
  const { modelKey, onDone, onClose } = props
  const [draft, setDraft] = useState(draftOf(modelKey))
  const { mutate, isPending, error } = useModelKeyAction<Reply>({ onSuccess: onDone })
  const set = (change: Partial<ModelKeyDraft>) => setDraft((before) => ({ ...before, ...change }))
  const errorAt = (field: string) =>
    error instanceof ApiError && isAt(error, field) ? error.message : undefined
  const isShown = ['name', 'models', 'expiresAt', 'limits'].some((field) => errorAt(field))
  return (
    <FormDialog
      title={modelKey === undefined ? modelsTexts.keys.new : modelsTexts.keys.change(modelKey.name)}
      action={modelKey === undefined ? modelsTexts.keys.createAction : frameTexts.save}
      isBusy={isPending}
      problem={error === null || isShown ? undefined : error.message}
      onSubmit={() => {
        const body = bodyOf(draft, modelKey?.expiresAt ?? null)
        if (modelKey === undefined) mutate({ method: 'POST', path: '', body })
        else mutate({ method: 'PATCH', path: `/${modelKey.keyId}`, body })
      }}
      onClose={onClose}
    >
      <NameInput
        label={modelsTexts.draft.name}
        placeholder="chat-app"
        required
        value={draft.name}
        error={errorAt('name')}
        onChange={(event) => set({ name: event.currentTarget.value })}
      />
      <Models draft={draft} error={errorAt('models')} onChange={set} />
      <TextInput
        label={modelsTexts.keys.validUntil}
        type="date"
        value={draft.expires}
        error={errorAt('expiresAt')}
        onChange={(event) => set({ expires: event.currentTarget.value })}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        {limitFields.map(({ name, label, pattern }) => (
          <TextInput
            key={name}
            label={label}
            placeholder={modelsTexts.keys.noLimit}
            inputMode="decimal"
            pattern={pattern}
            value={draft.limits[name]}
            error={errorAt(`limits.${name}`)}
            onChange={(event) =>
              set({ limits: { ...draft.limits, [name]: event.currentTarget.value } })
            }
          />
        ))}
      </SimpleGrid>
      <Text size="xs" c="dimmed">
        {modelsTexts.keys.limitsText}
      </Text>
    </FormDialog>
  )
}

interface ModelsProps {
  readonly draft: ModelKeyDraft
  readonly error: string | undefined
  readonly onChange: (change: Partial<ModelKeyDraft>) => void
}

function Models({ draft: { models }, error, onChange }: ModelsProps) {
  const listed = useListedModels('chat').data ?? []
  return (
    <TagsInput
      label={modelsTexts.keys.models}
      description={modelsTexts.keys.modelsHint}
      placeholder={models.length === 0 ? modelsTexts.keys.everyModelHint : ''}
      data={[...new Set(listed.map(({ id }) => id))]}
      limit={maxSuggestions}
      acceptValueOnBlur
      error={error}
      value={[...models]}
      onChange={(chosen) => onChange({ models: chosen })}
    />
  )
}

/** Whether an error is about a field, or one within it. */
function isAt({ field = '' }: ApiError, wanted: string): boolean {
  return field === wanted || field.startsWith(`${wanted}.`) || field.startsWith(`${wanted}[`)
}
