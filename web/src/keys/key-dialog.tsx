import { Button, Group, SimpleGrid, Text, TextInput } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { ApiError } from '../api/api-error.ts'
import { useBuckets } from '../api/service-queries.ts'
import { keysTexts } from '../texts/keys.ts'
import { FormDialog, NameInput } from '../ui/form-dialog.tsx'
import type { Change } from '../ui/use-action.ts'
import { GrantFields } from './grant-fields.tsx'
import { bodyOf, type GrantDraft, type KeyDraft, newGrant } from './key-draft.ts'
import { useKeyAction } from './keys-queries.ts'

interface KeyDialogProps<Reply> {
  readonly title: string
  readonly action: string
  readonly initial: KeyDraft
  /** The request without its body. */
  readonly request: Pick<Change, 'method' | 'path'>
  readonly onDone: (reply: Reply) => void
  readonly onClose: () => void
}

/** The form of an access key. */
export function KeyDialog<Reply>(props: KeyDialogProps<Reply>) {
  const { title, action, initial, request, onDone, onClose } = props
  const [draft, setDraft] = useState(initial)
  const { mutate, isPending, error } = useKeyAction<Reply>({ onSuccess: onDone })
  const errorAt = (field: string) =>
    error instanceof ApiError && error.field === field ? error.message : undefined
  const set = (change: Partial<KeyDraft>) => setDraft((before) => ({ ...before, ...change }))
  return (
    <FormDialog
      {...{ title, action, onClose }}
      size="lg"
      isBusy={isPending}
      problem={error === null || isShownAtField(error, draft) ? undefined : error.message}
      onSubmit={() => mutate({ ...request, body: bodyOf(draft) })}
    >
      <NameInput
        label={keysTexts.dialog.name}
        placeholder="backup-app"
        required
        value={draft.name}
        error={errorAt('name')}
        onChange={(event) => set({ name: event.currentTarget.value })}
      />
      <Grants draft={draft} errorAt={errorAt} onChange={(grants) => set({ grants })} />
      <Options draft={draft} errorAt={errorAt} onChange={set} />
    </FormDialog>
  )
}

interface PartProps<Value> {
  readonly draft: KeyDraft
  readonly errorAt: (field: string) => string | undefined
  readonly onChange: (value: Value) => void
}

function Grants({ draft: { grants }, errorAt, onChange }: PartProps<readonly GrantDraft[]>) {
  const buckets = (useBuckets().data?.buckets ?? []).map(({ name }) => name)
  const nextId = Math.max(0, ...grants.map(({ id }) => id)) + 1
  return (
    <>
      {grants.map((grant, index) => (
        <GrantFields
          key={grant.id}
          grant={grant}
          title={grants.length === 1 ? keysTexts.dialog.mayUse : keysTexts.dialog.grant(index + 1)}
          buckets={buckets}
          errorAt={(field) => errorAt(`grants[${index}].${field}`)}
          onChange={(changed) =>
            onChange(grants.map((other) => (other.id === grant.id ? changed : other)))
          }
          onRemove={
            grants.length === 1
              ? undefined
              : () => onChange(grants.filter(({ id }) => id !== grant.id))
          }
        />
      ))}
      <Group>
        <Button
          variant="default"
          size="xs"
          leftSection={<IconPlus size={16} />}
          onClick={() => onChange([...grants, newGrant(nextId, buckets[0] ?? '*')])}
        >
          {keysTexts.dialog.addGrant}
        </Button>
      </Group>
    </>
  )
}

function Options({ draft, errorAt, onChange }: PartProps<Partial<KeyDraft>>) {
  return (
    <>
      <TextInput
        label={keysTexts.dialog.note}
        value={draft.note}
        error={errorAt('note')}
        onChange={(event) => onChange({ note: event.currentTarget.value })}
      />
      <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
        <TextInput
          label={keysTexts.dialog.validUntil}
          type="date"
          value={draft.expires}
          error={errorAt('expiresAt')}
          onChange={(event) => onChange({ expires: event.currentTarget.value })}
        />
        <TextInput
          label={keysTexts.dialog.requestsPerSecond}
          placeholder={keysTexts.dialog.noLimit}
          inputMode="numeric"
          pattern="[0-9]*"
          value={draft.requestsPerSecond}
          error={errorAt('limits.requestsPerSecond')}
          onChange={(event) => onChange({ requestsPerSecond: event.currentTarget.value })}
        />
        <TextInput
          label={keysTexts.dialog.storage}
          placeholder={keysTexts.dialog.noLimit}
          inputMode="decimal"
          pattern="[0-9]*[.]?[0-9]*"
          value={draft.gib}
          error={errorAt('limits.bytes')}
          onChange={(event) => onChange({ gib: event.currentTarget.value })}
        />
      </SimpleGrid>
      <Text size="xs" c="dimmed">
        {keysTexts.dialog.limitsText}
      </Text>
    </>
  )
}

const ownFields = ['name', 'note', 'expiresAt', 'limits.requestsPerSecond', 'limits.bytes']
const grantFields = ['bucket', 'prefix', 'actions']

/** Whether the error is shown at a field of the form. */
function isShownAtField(error: Error, { grants }: KeyDraft): boolean {
  if (!(error instanceof ApiError) || error.field === undefined) return false
  const ofGrants = grants.flatMap((_, index) =>
    grantFields.map((field) => `grants[${index}].${field}`),
  )
  return [...ownFields, ...ofGrants].includes(error.field)
}
