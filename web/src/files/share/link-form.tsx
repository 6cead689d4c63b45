import {
  Alert,
  Anchor,
  Button,
  Group,
  NativeSelect,
  NumberInput,
  PasswordInput,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
} from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { Link } from 'wouter'
import type { ShareBody, ShareReply } from '../../../../src/dashboard/shares/share-schemas.ts'
import { sharedUrl } from '../../api/service-address.ts'
import { useStatus } from '../../api/service-queries.ts'
import { useKeys } from '../../keys/keys-queries.ts'
import { useCreateShare } from '../../shares/shares-queries.ts'
import { LinkField } from './link-field.tsx'
import {
  lifetimes,
  mistakesOf,
  newShareDraft,
  type ShareDraft,
  shareBodyOf,
} from './share-draft.ts'

interface LinkFormProps {
  readonly target: Pick<ShareBody, 'kind' | 'bucket' | 'path'>
}

/** Creates a link for people without an account. */
export function LinkForm({ target }: LinkFormProps) {
  const [draft, setDraft] = useState(newShareDraft)
  const [areMistakesShown, setAreMistakesShown] = useState(false)
  const { mutate, data, isPending, error } = useCreateShare()
  if (data !== undefined) return <MadeLink share={data} />
  const mistakes = mistakesOf(draft, Date.now())
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setAreMistakesShown(true)
    const isRight = Object.values(mistakes).every((mistake) => mistake === undefined)
    if (isRight && !isPending) mutate(shareBodyOf(draft, target, Date.now()))
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <Fields
          kind={target.kind}
          draft={draft}
          mistakes={areMistakesShown ? mistakes : {}}
          onChange={(change) => setDraft((before) => ({ ...before, ...change }))}
        />
        {error !== null && (
          <Alert color="red" role="alert" title="The link was not created">
            {error.message}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button type="submit" loading={isPending}>
            Create link
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

interface FieldsProps {
  readonly kind: ShareBody['kind']
  readonly draft: ShareDraft
  readonly mistakes: Partial<ReturnType<typeof mistakesOf>>
  readonly onChange: (change: Partial<ShareDraft>) => void
}

function Fields({ kind, draft, mistakes, onChange }: FieldsProps) {
  const keys = useKeys().data?.keys ?? []
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      <NativeSelect
        label="Ends"
        data={[...lifetimes]}
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
      <PasswordInput
        label="Password"
        placeholder="None"
        autoComplete="new-password"
        value={draft.password}
        error={mistakes.password}
        visibilityToggleButtonProps={{ 'aria-label': 'Show the password', tabIndex: 0 }}
        onChange={(event) => onChange({ password: event.currentTarget.value })}
      />
      <TextInput
        label="Note"
        placeholder="Only you see it"
        maxLength={200}
        value={draft.note}
        onChange={(event) => onChange({ note: event.currentTarget.value })}
      />
      {kind === 'drop' && <DropFields draft={draft} mistakes={mistakes} onChange={onChange} />}
      {keys.length > 0 && (
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
      )}
    </SimpleGrid>
  )
}

/** The limits for uploads of visitors. */
function DropFields({ draft, mistakes, onChange }: Omit<FieldsProps, 'kind'>) {
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

function MadeLink({ share: { url, hasPassword } }: { readonly share: ShareReply }) {
  const endpoint = useStatus().data?.endpoint
  if (url === null || endpoint === undefined) return null
  return (
    <Stack>
      <LinkField label="Link" url={sharedUrl(url, endpoint, location.origin)} />
      <Text size="sm" c="dimmed" role="status">
        {hasPassword && 'Send the password separately from the link. '}
        <Anchor component={Link} inherit underline="always" href="/shares">
          Shared links
        </Anchor>{' '}
        shows how often it is used and lets you revoke it.
      </Text>
    </Stack>
  )
}
