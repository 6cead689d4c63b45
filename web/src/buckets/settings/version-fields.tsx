import { SimpleGrid, Switch, Text, TextInput } from '@mantine/core'
import type { BucketStatus } from '../../../../src/dashboard/management/management-schemas.ts'
import { formatBytes } from '../../format/bytes.ts'
import { bucketsTexts } from '../../texts/buckets.ts'
import { type BucketDraft, formerText } from './bucket-draft.ts'

interface VersionFieldsProps {
  readonly bucket: BucketStatus
  readonly draft: BucketDraft
  readonly onChange: (change: Partial<BucketDraft>) => void
}

/** Whether the bucket keeps former versions, and for how long. */
export function VersionFields({ bucket, draft, onChange }: VersionFieldsProps) {
  const { versioning, versionsRefusal } = bucket
  const { hasVersions, former } = draft
  const isRefused = versionsRefusal !== null && !hasVersions
  const change = (days: string, keep: string) => onChange({ former: { ...former, days, keep } })
  return (
    <>
      <Switch
        label={bucketsTexts.versions.keep}
        description={isRefused ? versionsRefusal : effectText(bucket, hasVersions)}
        checked={hasVersions}
        disabled={isRefused}
        onChange={(event) => onChange({ hasVersions: event.currentTarget.checked })}
      />
      {(hasVersions || versioning !== 'off') && (
        <div>
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
            <TextInput
              label={bucketsTexts.versions.deleteAfter}
              placeholder={former.keep === '' ? bucketsTexts.never : '1'}
              inputMode="numeric"
              pattern="[1-9][0-9]*"
              value={former.days}
              onChange={(event) => change(event.currentTarget.value, former.keep)}
            />
            <TextInput
              label={bucketsTexts.versions.keepNewest}
              placeholder={bucketsTexts.versions.none}
              inputMode="numeric"
              pattern="[1-9][0-9]?|100"
              title={bucketsTexts.versions.range}
              value={former.keep}
              onChange={(event) => change(former.days, event.currentTarget.value)}
            />
          </SimpleGrid>
          <Text size="xs" c="dimmed" mt="xs" role="status">
            {formerText(former)} {figuresText(bucket)}
          </Text>
        </div>
      )}
    </>
  )
}

function effectText({ versioning }: BucketStatus, hasVersions: boolean): string {
  if (hasVersions || versioning === 'off') {
    return bucketsTexts.versions.effect
  }
  return bucketsTexts.versions.suspended
}

function figuresText({ versioning, formerVersions: former }: BucketStatus): string {
  if (versioning === 'off') return ''
  if (former === null) return bucketsTexts.versions.notCounted
  const count = bucketsTexts.formerVersions(former.count)
  return bucketsTexts.versions.now(count, formatBytes(former.bytes))
}
