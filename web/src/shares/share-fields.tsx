import {
  Checkbox,
  Group,
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
import { sharesTexts } from '../texts/shares.ts'
import { endChange, lifetimes, type mistakesOf, type ShareDraft } from './share-draft.ts'

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
        label={sharesTexts.fields.title}
        placeholder={sharesTexts.fields.titleHint}
        maxLength={200}
        value={draft.title}
        onChange={(event) => onChange({ title: event.currentTarget.value })}
      />
      <End {...{ share, draft, mistakes, onChange }} />
      <NumberInput
        label={kind === 'drop' ? sharesTexts.fields.files : sharesTexts.fields.downloads}
        placeholder={sharesTexts.fields.anyNumber}
        min={1}
        max={1_000_000}
        allowDecimal={false}
        allowNegative={false}
        value={draft.maxUses}
        onChange={(value) => onChange({ maxUses: String(value) })}
      />
      <Password share={share} draft={draft} mistakes={mistakes} onChange={onChange} />
      <TextInput
        label={sharesTexts.fields.note}
        placeholder={sharesTexts.fields.noteHint}
        maxLength={200}
        value={draft.note}
        onChange={(event) => onChange({ note: event.currentTarget.value })}
      />
      {kind === 'drop' && <DropFields draft={draft} mistakes={mistakes} onChange={onChange} />}
      {share === undefined && <Rights draft={draft} onChange={onChange} />}
    </SimpleGrid>
  )
}

/** Of a line, unless that is too narrow for two fields. */
const half = { flex: '1 1 130px', miw: 0 }

/** The date is beside the choice that asks for it, or below it on a very narrow phone. */
function End({ share, draft, mistakes, onChange }: Omit<FieldsProps, 'kind'>) {
  return (
    <Group gap="xs" align="flex-start">
      <NativeSelect
        label={sharesTexts.fields.ends}
        data={[...keptEnd(share), ...lifetimes]}
        {...half}
        value={draft.days}
        onChange={(event) => onChange(endChange(draft, event.currentTarget.value, Date.now()))}
      />
      {draft.days === 'date' && (
        <TextInput
          label={sharesTexts.fields.lastDay}
          type="date"
          {...half}
          value={draft.date}
          error={mistakes.date}
          onChange={(event) => onChange({ date: event.currentTarget.value })}
        />
      )}
    </Group>
  )
}

/** The limits for uploads of visitors. */
function DropFields({ draft, mistakes, onChange }: Omit<FieldsProps, 'kind' | 'share'>) {
  const size = {
    placeholder: sharesTexts.fields.anySize,
    min: 0.001,
    max: 1_000_000_000,
  }
  return (
    <>
      <NumberInput
        label={sharesTexts.fields.largest}
        {...size}
        allowNegative={false}
        value={draft.maxFileMib}
        onChange={(value) => onChange({ maxFileMib: String(value) })}
      />
      <NumberInput
        label={sharesTexts.fields.together}
        {...size}
        allowNegative={false}
        value={draft.maxMib}
        onChange={(value) => onChange({ maxMib: String(value) })}
      />
      <TextInput
        label={sharesTexts.fields.types}
        placeholder={sharesTexts.fields.typesHint}
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
      label={sharesTexts.fields.rights}
      description={sharesTexts.fields.rightsText}
      data={[
        { value: '', label: sharesTexts.fields.yours },
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
        label={sharesTexts.fields.password}
        placeholder={hasPassword ? sharesTexts.fields.unchanged : sharesTexts.fields.none}
        autoComplete="new-password"
        disabled={draft.isPasswordRemoved}
        value={draft.password}
        error={draft.isPasswordRemoved ? undefined : mistakes.password}
        visibilityToggleButtonProps={{ 'aria-label': sharesTexts.fields.showPassword, tabIndex: 0 }}
        onChange={(event) => onChange({ password: event.currentTarget.value })}
      />
      {hasPassword && (
        <Checkbox
          label={sharesTexts.fields.removePassword}
          checked={draft.isPasswordRemoved}
          onChange={(event) => onChange({ isPasswordRemoved: event.currentTarget.checked })}
        />
      )}
    </Stack>
  )
}
