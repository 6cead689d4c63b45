import { Alert, Button, Group, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { type ReactNode, useCallback, useRef, useState } from 'react'
import type {
  BucketChange,
  BucketStatus,
} from '../../../../src/dashboard/management/management-schemas.ts'
import { bucketsTexts } from '../../texts/buckets.ts'
import { frameTexts } from '../../texts/frame.ts'
import { HelpButton } from '../../ui/help-button.tsx'
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
import { WebsiteFields } from './website-fields.tsx'

/** What a person has changed, and the state of the bucket when they began. */
interface Edit {
  readonly base: BucketStatus
  readonly draft: BucketDraft
}

/** Everything that can be set for a bucket. */
export function BucketSettings({ bucket }: { readonly bucket: BucketStatus }) {
  const { base, draft, isSaved, type, discard, beginSave, endSave } = useEdit(bucket)
  const change = changeOf(base, draft)
  const isChanged = Object.keys(change).length > 0
  /** A change of the rules that waits until what it would delete is counted. */
  const [checked, setChecked] = useState<RulesChange>()
  const closeCheck = useCallback(() => setChecked(undefined), [])
  const { mutate, isPending, error, reset } = useBucketAction((status) => {
    closeCheck()
    endSave(status)
  })
  const save = useCallback(
    (body: BucketChange) =>
      mutate({ method: 'PATCH', path: `/${bucket.name}`, body }, { onError: closeCheck }),
    [mutate, bucket.name, closeCheck],
  )
  const submit = () => {
    beginSave()
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
        <Parts bucket={base} draft={draft} onChange={type} />
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
                discard()
              }}
            >
              {bucketsTexts.discard}
            </Button>
            <Button type="submit" loading={isPending}>
              {frameTexts.save}
            </Button>
          </Group>
        )}
        {/* In the place of the button: a notification could cover it. */}
        <div role="status" className={classes.saved}>
          {isSaved && !isChanged && bucketsTexts.saved}
        </div>
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

/** The settings as they are typed. What is typed while others are saved stays. */
function useEdit(bucket: BucketStatus) {
  const [edit, setEdit] = useState<Edit>()
  const { base, draft } = edit ?? { base: bucket, draft: draftOf(bucket) }
  const saving = useRef(draft)
  const [isSaved, setIsSaved] = useState(false)
  return {
    ...{ base, draft },
    /** Whether nothing was typed since the last save. */
    isSaved,
    type(part: Partial<BucketDraft>) {
      setIsSaved(false)
      setEdit({ base, draft: { ...draft, ...part } })
    },
    discard: () => setEdit(undefined),
    beginSave() {
      saving.current = draft
    },
    endSave(status: BucketStatus | undefined) {
      setIsSaved(true)
      const saved = saving.current
      setEdit((now) => {
        if (now === undefined || now.draft === saved || status === undefined) return undefined
        return typedSince(now.draft, saved, status)
      })
    },
  }
}

function typedSince(draft: BucketDraft, saved: BucketDraft, base: BucketStatus): Edit {
  const typed = Object.entries(draft).filter(
    ([name, value]) => value !== saved[name as keyof BucketDraft],
  )
  return { base, draft: { ...draftOf(base), ...Object.fromEntries(typed) } }
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
      <Part title={bucketsTexts.settings.public} text={bucketsTexts.settings.publicText}>
        <PublicAccess
          bucket={bucket}
          isPublic={draft.isPublic}
          onChange={(isPublic) => onChange({ isPublic })}
        />
      </Part>
      <Part title={bucketsTexts.settings.quota} text={bucketsTexts.settings.quotaText}>
        <TextInput
          label={bucketsTexts.settings.quotaGib}
          description={bucketsTexts.settings.quotaHint}
          placeholder={bucketsTexts.settings.noLimit}
          inputMode="decimal"
          pattern="[0-9]*[.]?[0-9]*"
          maw={320}
          value={draft.quotaGib}
          onChange={(event) => onChange({ quotaGib: event.currentTarget.value })}
        />
      </Part>
      <Part title={bucketsTexts.settings.versions} text={bucketsTexts.settings.versionsText}>
        <VersionFields bucket={bucket} draft={draft} onChange={onChange} />
      </Part>
      <Part title={bucketsTexts.settings.lifecycle} text={bucketsTexts.settings.lifecycleText}>
        <ExpiryRules rules={draft.rules} onChange={(rules) => onChange({ rules })} />
      </Part>
      <Part
        title={bucketsTexts.settings.cors}
        text={bucketsTexts.settings.corsText}
        help={bucketsTexts.settings.corsHelp}
      >
        <CorsRules rules={draft.cors} onChange={(cors) => onChange({ cors })} />
      </Part>
      <Part title={bucketsTexts.settings.website} text={bucketsTexts.settings.websiteText}>
        <WebsiteFields
          bucket={bucket}
          website={draft.website}
          onChange={(website) => onChange({ website })}
        />
      </Part>
      <Part title={bucketsTexts.settings.events} text={bucketsTexts.settings.eventsText}>
        <EventRules
          rules={draft.notifications}
          onChange={canKeepRules ? (notifications) => onChange({ notifications }) : undefined}
        />
      </Part>
      {bucket.tags !== null && (
        <Part title={bucketsTexts.settings.tags} text={bucketsTexts.settings.tagsText}>
          <Textarea
            label={bucketsTexts.settings.tagsOf}
            description={bucketsTexts.settings.tagsHint}
            placeholder={bucketsTexts.settings.tagsExample}
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
  /** For those who run the gateway. */
  readonly help?: string
  readonly children: ReactNode
}

function Part({ title, text, help, children }: PartProps) {
  return (
    <Section title={title}>
      <Text size="sm" c="dimmed" mt={-8} mb="sm">
        {text}
        {help !== undefined && <HelpButton text={help} />}
      </Text>
      <Stack gap="sm">{children}</Stack>
    </Section>
  )
}

/** What cannot be changed here. */
function Source({ bucket: { source, drive, isReadOnly } }: { readonly bucket: BucketStatus }) {
  const parts = [
    ...(source === 'environment'
      ? [[bucketsTexts.settings.fromEnvironment, 'ALLOWED_BUCKETS']]
      : []),
    ...(drive === 'default' ? [] : [[bucketsTexts.settings.onDrive(drive)]]),
    ...(isReadOnly ? [[bucketsTexts.settings.readOnly, 'READ_ONLY']] : []),
  ]
  return parts.map(([text, setting]) => (
    <Text key={text} size="sm" c="dimmed">
      {text}
      {setting !== undefined && <HelpButton text={setting} />}
    </Text>
  ))
}
