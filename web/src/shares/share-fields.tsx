import {
  Checkbox,
  NativeSelect,
  NumberInput,
  PasswordInput,
  SimpleGrid,
  Stack,
  TextInput,
} from '@mantine/core'
import type { ShareBody, ShareReply } from '../../../src/dashboard/shares/share-schemas.ts'
import { formatMoment } from '../format/time.ts'
import { useKeys } from '../keys/keys-queries.ts'
import { lifetimes, type mistakesOf, type ShareDraft } from './share-draft.ts'

interface FieldsProps {
  readonly kind: ShareBody['kind']
  /** The link that is changed. */
  readonly share: ShareReply | undefined
  readonly draft: ShareDraft
  readonly mistakes: Partial<ReturnType<typeof mistakesOf>>
  readonly onChange: (change: Partial<ShareDraft>) => void
}

/** The fields of a new link, or of one that is changed. */
export function ShareFields({ kind, share, draft, mistakes, onChange }: FieldsProps) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      <TextInput
        label="Title"
        placeholder="Visitors see it instead of the name"
        maxLength={200}
        value={draft.title}
        onChange={(event) => onChange({ title: event.currentTarget.value })}
      />
      <NativeSelect
        label="Ends"
        data={[...keptEnd(share), ...lifetimes]}
        value={draft.days}
        onChange={(event) => onChange({ days: event.currentTarget.value })}
      />
      {draft.days === 'date' && (
        <TextInput
          label="Last day"
          type="date"
          value={draft.date}
          error={mistakes.date}
          onChange={(event) => onChange({ date: event.currentTarget.value })}
        />
      )}
      <NumberInput
        label={kind === 'drop' ? 'Files' : 'Downloads'}
        placeholder="Any number"
        min={1}
        max={1_000_000}
        allowDecimal={false}
        allowNegative={false}
        value={draft.maxUses}
        onChange={(value) => onChange({ maxUses: String(value) })}
      />
      <Password share={share} draft={draft} mistakes={mistakes} onChange={onChange} />
      <TextInput
        label="Note"
        placeholder="Only you see it"
        maxLength={200}
        value={draft.note}
        onChange={(event) => onChange({ note: event.currentTarget.value })}
      />
      {kind === 'drop' && <DropFields draft={draft} mistakes={mistakes} onChange={onChange} />}
      {share === undefined && <Rights draft={draft} onChange={onChange} />}
    </SimpleGrid>
  )
}

/** The limits for uploads of visitors. */
function DropFields({ draft, mistakes, onChange }: Omit<FieldsProps, 'kind' | 'share'>) {
  const size = { placeholder: 'Any size', min: 0.001, max: 1_000_000_000, suffix: ' MiB' }
  return (
    <>
      <NumberInput
        label="Largest file"
        {...size}
        allowNegative={false}
        value={draft.maxFileMib}
        onChange={(value) => onChange({ maxFileMib: String(value) })}
      />
      <NumberInput
        label="All files together"
        {...size}
        allowNegative={false}
        value={draft.maxMib}
        onChange={(value) => onChange({ maxMib: String(value) })}
      />
      <TextInput
        label="Types"
        placeholder="Any: pdf, jpg"
        value={draft.types}
        error={mistakes.types}
        onChange={(event) => onChange({ types: event.currentTarget.value })}
      />
    </>
  )
}

/** The end that the link has, to keep it. */
function keptEnd(share: ShareReply | undefined) {
  if (share === undefined || share.expiresAt === null) return []
  return [{ value: 'kept', label: formatMoment(Date.parse(share.expiresAt)) }]
}

function Rights({ draft, onChange }: Pick<FieldsProps, 'draft' | 'onChange'>) {
  const keys = useKeys().data?.keys ?? []
  if (keys.length === 0) return null
  return (
    <NativeSelect
      label="Rights"
      description="With a key, the link ends when the key does."
      data={[
        { value: '', label: 'Yours' },
        ...keys.map(({ accessKeyId, name }) => ({ value: accessKeyId, label: name })),
      ]}
      value={draft.accessKeyId}
      onChange={(event) => onChange({ accessKeyId: event.currentTarget.value })}
    />
  )
}

function Password({ share, draft, mistakes, onChange }: Omit<FieldsProps, 'kind'>) {
  const hasPassword = share?.hasPassword === true
  return (
    <Stack gap={8}>
      <PasswordInput
        label="Password"
        placeholder={hasPassword ? 'Unchanged' : 'None'}
        autoComplete="new-password"
        disabled={draft.isPasswordRemoved}
        value={draft.password}
        error={draft.isPasswordRemoved ? undefined : mistakes.password}
        visibilityToggleButtonProps={{ 'aria-label': 'Show the password', tabIndex: 0 }}
        onChange={(event) => onChange({ password: event.currentTarget.value })}
      />
      {hasPassword && (
        <Checkbox
          label="Remove the password"
          checked={draft.isPasswordRemoved}
          onChange={(event) => onChange({ isPasswordRemoved: event.currentTarget.checked })}
        />
      )}
    </Stack>
  )
}
