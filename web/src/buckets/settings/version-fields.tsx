import { SimpleGrid, Switch, Text, TextInput } from '@mantine/core'
import type { BucketStatus } from '../../../../src/dashboard/management/management-schemas.ts'
import { formatAmount, formatBytes } from '../../format/bytes.ts'
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
        label="Keep former versions of files"
        description={isRefused ? versionsRefusal : effectText(bucket, hasVersions)}
        checked={hasVersions}
        disabled={isRefused}
        onChange={(event) => onChange({ hasVersions: event.currentTarget.checked })}
      />
      {(hasVersions || versioning !== 'off') && (
        <div>
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
            <TextInput
              label="Delete former versions after (days)"
              placeholder={former.keep === '' ? 'never' : '1'}
              inputMode="numeric"
              pattern="[1-9][0-9]*"
              value={former.days}
              onChange={(event) => change(event.currentTarget.value, former.keep)}
            />
            <TextInput
              label="But keep the newest of each file"
              placeholder="none"
              inputMode="numeric"
              pattern="[1-9][0-9]?|100"
              title="1 to 100"
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
    return (
      'What is replaced or deleted through S3 or this dashboard stays as a full copy that uses space on the drive; ' +
      'what other programs change on the drive is not kept'
    )
  }
  return 'Suspended: existing versions stay, and what is replaced or deleted from now on is not kept'
}

function figuresText({ versioning, formerVersions: former }: BucketStatus): string {
  if (versioning === 'off') return ''
  if (former === null) return 'They are not counted yet.'
  const count = formatAmount(former.count, 'former version')
  return `Now there are ${count}, ${formatBytes(former.bytes)} in total.`
}
