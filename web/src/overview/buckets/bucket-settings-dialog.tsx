import { Button, Switch, Text, Textarea, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useCallback, useState } from 'react'
import type {
  BucketChange,
  BucketStatus,
} from '../../../../src/dashboard/management/management-schemas.ts'
import { accessByPolicy, aclEffect, publicAccessBySetting } from '../../api/public-access.ts'
import { useStatus } from '../../api/service-queries.ts'
import { useBucketAction } from '../../buckets/use-bucket-action.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { failureOf } from '../../ui/messages.ts'
import { type BucketDraft, changeOf, draftOf } from './bucket-draft.ts'
import { ExpiryCheck, type RulesChange } from './expiry-check.tsx'
import { deletesObjects } from './expiry-count.ts'
import { ExpiryRules } from './expiry-rules.tsx'
import { VersionFields } from './version-fields.tsx'

interface BucketSettingsDialogProps {
  readonly bucket: BucketStatus
  readonly onClose: () => void
}

export function BucketSettingsDialog({ bucket, onClose }: BucketSettingsDialogProps) {
  const [draft, setDraft] = useState(() => draftOf(bucket))
  const { mutate, isPending, error } = useBucketAction(onClose)
  /** A change of the rules that waits until what it would delete is counted. */
  const [checked, setChecked] = useState<RulesChange>()
  const closeCheck = useCallback(() => setChecked(undefined), [])
  const save = useCallback(
    (body: BucketChange) =>
      mutate({ method: 'PATCH', path: `/${bucket.name}`, body }, { onError: closeCheck }),
    [mutate, bucket.name, closeCheck],
  )
  const submit = () => {
    const change = changeOf(bucket, draft)
    const { expiry = [] } = change
    if (Object.keys(change).length === 0) onClose()
    else if (deletesObjects(expiry)) setChecked({ ...change, expiry })
    else save(change)
  }
  return (
    <>
      <FormDialog
        title={`Settings of ${bucket.name}`}
        size="lg"
        action="Save"
        isBusy={isPending}
        problem={error?.message}
        aside={<RemoveButton bucket={bucket} onRemoved={onClose} />}
        onSubmit={submit}
        onClose={onClose}
      >
        <Source bucket={bucket} />
        <Fields
          bucket={bucket}
          draft={draft}
          onChange={(change) => setDraft((before) => ({ ...before, ...change }))}
        />
      </FormDialog>
      {checked !== undefined && (
        <ExpiryCheck
          bucket={bucket}
          change={checked}
          isBusy={isPending}
          onSave={save}
          onClose={closeCheck}
        />
      )}
    </>
  )
}

/** What cannot be changed here. */
function Source({ bucket: { source, drive, isReadOnly } }: { readonly bucket: BucketStatus }) {
  const parts = [
    source === 'environment' && 'The bucket comes from the setting ALLOWED_BUCKETS.',
    drive !== 'default' && `It is on the drive ${drive}.`,
    isReadOnly && 'READ_ONLY keeps everyone from writing to it.',
  ].filter((part) => part !== false)
  if (parts.length === 0) return null
  return (
    <Text size="sm" c="dimmed">
      {parts.join(' ')}
    </Text>
  )
}

interface FieldsProps {
  readonly bucket: BucketStatus
  readonly draft: BucketDraft
  readonly onChange: (change: Partial<BucketDraft>) => void
}

function Fields({ bucket, draft, onChange }: FieldsProps) {
  const isFixed = bucket.isPublicFromEnvironment
  const status = useStatus().data
  const policy = accessByPolicy(bucket.openByPolicy)
  const access = [
    policy === '' ? publicAccessBySetting(status) : `${policy} Switching this off removes it.`,
    aclEffect(status),
    isFixed && 'Set by PUBLIC_READ_BUCKETS.',
  ].filter(Boolean)
  return (
    <>
      <Switch
        label="Public: anyone can read it, without a key"
        description={access.join(' ')}
        checked={draft.isPublic}
        disabled={isFixed}
        onChange={(event) => onChange({ isPublic: event.currentTarget.checked })}
      />
      <TextInput
        label="Quota in GiB"
        description="Approximate. Before the bucket is counted, only new writes count"
        placeholder="no limit"
        inputMode="decimal"
        pattern="[0-9]*[.]?[0-9]*"
        value={draft.quotaGib}
        onChange={(event) => onChange({ quotaGib: event.currentTarget.value })}
      />
      <Textarea
        label="Web pages that may use the bucket"
        description="Origins, one per line. Empty: CORS_ALLOWED_ORIGINS applies. Other clients are not limited by this"
        placeholder="https://app.example"
        autosize
        minRows={1}
        spellCheck={false}
        value={draft.origins}
        onChange={(event) => onChange({ origins: event.currentTarget.value })}
      />
      <VersionFields bucket={bucket} draft={draft} onChange={onChange} />
      <ExpiryRules rules={draft.rules} onChange={(rules) => onChange({ rules })} />
    </>
  )
}

interface RemoveButtonProps {
  readonly bucket: BucketStatus
  readonly onRemoved: () => void
}

/** Only buckets that were created at run time can be removed. */
function RemoveButton({ bucket: { name, source }, onRemoved }: RemoveButtonProps) {
  const [isAsked, { open, close }] = useDisclosure(false)
  const { mutate, isPending } = useBucketAction(onRemoved)
  if (source === 'environment') return null
  return (
    <>
      <Button variant="default" c="var(--mantine-color-error)" onClick={open}>
        Remove the bucket
      </Button>
      <Confirm
        isOpen={isAsked}
        title={`Remove ${name}?`}
        action="Remove the bucket"
        isBusy={isPending}
        onConfirm={() =>
          mutate(
            { method: 'DELETE', path: `/${name}` },
            { onError: failureOf(`${name} could not be removed`), onSettled: close },
          )
        }
        onClose={close}
      >
        The bucket <b>{name}</b> and its empty folder are removed, and open uploads to it are
        aborted. A bucket that is not empty cannot be removed.
      </Confirm>
    </>
  )
}
