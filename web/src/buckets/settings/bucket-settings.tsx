import { Alert, Button, Group, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { type ReactNode, useCallback, useState } from 'react'
import type {
  BucketChange,
  BucketStatus,
} from '../../../../src/dashboard/management/management-schemas.ts'
import { showSuccess } from '../../ui/messages.ts'
import { Section } from '../../ui/section.tsx'
import { useBucketAction } from '../use-bucket-action.ts'
import { type BucketDraft, changeOf, draftOf } from './bucket-draft.ts'
import classes from './bucket-settings.module.css'
import { CorsRules } from './cors-rules.tsx'
import { EventRules } from './event-rules.tsx'
import { ExpiryCheck, type RulesChange } from './expiry-check.tsx'
import { deletesObjects } from './expiry-count.ts'
import { ExpiryRules } from './expiry-rules.tsx'
import { PublicAccess } from './public-access.tsx'
import { RemoveBucket } from './remove-bucket.tsx'
import { VersionFields } from './version-fields.tsx'

/** What a person has changed, and the state of the bucket when they began. */
interface Edit {
  readonly base: BucketStatus
  readonly draft: BucketDraft
}

/** Everything that can be set for a bucket. */
export function BucketSettings({ bucket }: { readonly bucket: BucketStatus }) {
  const [edit, setEdit] = useState<Edit>()
  const { base, draft } = edit ?? { base: bucket, draft: draftOf(bucket) }
  const change = changeOf(base, draft)
  const isChanged = Object.keys(change).length > 0
  /** A change of the rules that waits until what it would delete is counted. */
  const [checked, setChecked] = useState<RulesChange>()
  const closeCheck = useCallback(() => setChecked(undefined), [])
  const { mutate, isPending, error, reset } = useBucketAction(() => {
    closeCheck()
    setEdit(undefined)
    showSuccess('Saved')
  })
  const save = useCallback(
    (body: BucketChange) =>
      mutate({ method: 'PATCH', path: `/${bucket.name}`, body }, { onError: closeCheck }),
    [mutate, bucket.name, closeCheck],
  )
  const submit = () => {
    const { expiry = [] } = change
    if (deletesObjects(expiry)) setChecked({ ...change, expiry })
    else save(change)
  }
  return (
    <>
      <form
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault()
          if (isChanged && !isPending) submit()
        }}
      >
        <Parts
          bucket={base}
          draft={draft}
          onChange={(part) => setEdit({ base, draft: { ...draft, ...part } })}
        />
        {isChanged && (
          <Group className={classes.save ?? ''} justify="flex-end" gap="sm">
            {error !== null && (
              <Alert color="red" role="alert" flex={1} py={6}>
                {error.message}
              </Alert>
            )}
            <Button
              variant="default"
              onClick={() => {
                reset()
                setEdit(undefined)
              }}
            >
              Discard
            </Button>
            <Button type="submit" loading={isPending}>
              Save
            </Button>
          </Group>
        )}
      </form>
      <RemoveBucket bucket={bucket} />
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

interface PartsProps {
  readonly bucket: BucketStatus
  readonly draft: BucketDraft
  readonly onChange: (change: Partial<BucketDraft>) => void
}

function Parts({ bucket, draft, onChange }: PartsProps) {
  const canKeepRules = bucket.notifications !== null
  return (
    <Stack gap={16}>
      <Source bucket={bucket} />
      <Part title="Public access" text="Whether people without a key can read the files.">
        <PublicAccess
          bucket={bucket}
          isPublic={draft.isPublic}
          onChange={(isPublic) => onChange({ isPublic })}
        />
      </Part>
      <Part title="Quota" text="How much may be stored. Uploads beyond it are refused.">
        <TextInput
          label="Quota in GiB"
          description="Approximate. Before the bucket is counted, only new files count."
          placeholder="no limit"
          inputMode="decimal"
          pattern="[0-9]*[.]?[0-9]*"
          maw={320}
          value={draft.quotaGib}
          onChange={(event) => onChange({ quotaGib: event.currentTarget.value })}
        />
      </Part>
      <Part title="Versions" text="What happens to files that are replaced or deleted.">
        <VersionFields bucket={bucket} draft={draft} onChange={onChange} />
      </Part>
      <Part title="Lifecycle" text="Deletes files and unfinished uploads when they are old enough.">
        <ExpiryRules rules={draft.rules} onChange={(rules) => onChange({ rules })} />
      </Part>
      <Part
        title="CORS"
        text="Which web pages of other sites may use the bucket. Without rules, the setting CORS_ALLOWED_ORIGINS applies."
      >
        <CorsRules rules={draft.cors} onChange={(cors) => onChange({ cors })} />
      </Part>
      <Part title="Events" text="Tells other programs when files change.">
        <EventRules
          rules={draft.notifications}
          onChange={canKeepRules ? (notifications) => onChange({ notifications }) : undefined}
        />
      </Part>
      {bucket.tags !== null && (
        <Part title="Tags" text="Labels that S3 clients can read. They have no other effect.">
          <Textarea
            label="Tags of the bucket"
            description="One per line."
            placeholder="project = website"
            autosize
            minRows={2}
            maw={480}
            spellCheck={false}
            value={draft.tags}
            onChange={(event) => onChange({ tags: event.currentTarget.value })}
          />
        </Part>
      )}
    </Stack>
  )
}

interface PartProps {
  readonly title: string
  /** What it is for, in a sentence. */
  readonly text: string
  readonly children: ReactNode
}

function Part({ title, text, children }: PartProps) {
  return (
    <Section title={title}>
      <Text size="sm" c="dimmed" mt={-8} mb="sm">
        {text}
      </Text>
      <Stack gap="sm">{children}</Stack>
    </Section>
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
