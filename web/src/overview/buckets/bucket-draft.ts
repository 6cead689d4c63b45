import type {
  BucketChange,
  BucketStatus,
  ExpiryRule,
} from '../../../../src/dashboard/management/management-schemas.ts'
import { formatExactBytes } from '../../format/bytes.ts'

/** The settings of a bucket, as they are typed. */
export interface BucketDraft {
  /** Also true if a policy opens the bucket. Switching it off removes the policy. */
  readonly isPublic: boolean
  /** One per line; '' if CORS_ALLOWED_ORIGINS applies. */
  readonly origins: string
  /** In GiB; '' for no limit. */
  readonly quotaGib: string
  readonly rules: readonly RuleDraft[]
}

export interface RuleDraft {
  /** As stored; what the form does not show is kept. */
  readonly rule: ExpiryRule
  readonly prefix: string
  /** '' for never, or for a rule with a date. */
  readonly days: string
  /** '' for never. */
  readonly uploadDays: string
}

/** What S3 clients have set for a rule and the form has no fields for, in words. */
export function unshownDetails(rule: ExpiryRule): string[] {
  const { isEnabled, tags, largerThan, smallerThan } = rule
  const pairs = Object.entries(tags ?? {}).map(([key, value]) => `${key}=${value}`)
  return [
    ...(pairs.length > 0 ? [`Only objects with all these tags: ${pairs.join(', ')}.`] : []),
    ...(largerThan === undefined
      ? []
      : [`Only objects larger than ${formatExactBytes(largerThan)}.`]),
    ...(smallerThan === undefined
      ? []
      : [`Only objects smaller than ${formatExactBytes(smallerThan)}.`]),
    ...(isEnabled ? [] : ['This rule was disabled by an S3 client.']),
  ]
}

const gibBytes = 2 ** 30

export function draftOf({
  isPublic,
  openByPolicy,
  allowedOrigins,
  quotaBytes,
  expiry,
}: BucketStatus): BucketDraft {
  return {
    isPublic: isPublic || openByPolicy.length > 0,
    origins: (allowedOrigins ?? []).join('\n'),
    quotaGib: quotaBytes === null ? '' : String(Number((quotaBytes / gibBytes).toFixed(3))),
    rules: expiry.map(ruleDraftOf),
  }
}

function ruleDraftOf(rule: ExpiryRule): RuleDraft {
  const { prefix, days, abortUploadsDays } = rule
  return { rule, prefix, days: textOf(days), uploadDays: textOf(abortUploadsDays) }
}

/** An empty rule with an id that no other rule has. */
export function newRule(rules: readonly RuleDraft[]): RuleDraft {
  const ids = new Set(rules.map(({ rule }) => rule.id))
  let number = rules.length + 1
  while (ids.has(`rule-${number}`)) number += 1
  return ruleDraftOf({
    ...{ id: `rule-${number}`, prefix: '', days: null, date: null },
    ...{ abortUploadsDays: null, isEnabled: true },
  })
}

/**
 * The body of `PATCH /buckets/{bucket}`: only the fields that differ. A PATCH of origins or rules replaces all of
 * them, including details that S3 clients have set and the form does not show.
 */
export function changeOf(bucket: BucketStatus, draft: BucketDraft): BucketChange {
  const before = draftOf(bucket)
  const { isPublic, origins, quotaGib, rules } = draft
  const lines = origins
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  return {
    ...(isPublic !== before.isPublic && { isPublic }),
    ...(origins !== before.origins && { allowedOrigins: lines.length === 0 ? null : lines }),
    ...(quotaGib !== before.quotaGib && {
      quotaBytes: quotaGib === '' ? null : Math.round(Number(quotaGib) * gibBytes),
    }),
    ...(JSON.stringify(rules) !== JSON.stringify(before.rules) && { expiry: rules.map(ruleOf) }),
  }
}

function ruleOf({ rule, prefix, days, uploadDays }: RuleDraft): ExpiryRule {
  return { ...rule, prefix, days: numberOf(days), abortUploadsDays: numberOf(uploadDays) }
}

function textOf(days: number | null): string {
  return days === null ? '' : String(days)
}

function numberOf(text: string): number | null {
  return text === '' ? null : Number(text)
}
