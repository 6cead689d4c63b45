import type {
  CorsRuleReply as CorsRule,
  ExpiryRule,
  NotificationRuleReply as NotificationRule,
  WebsiteReply,
} from '../../../../src/dashboard/management/bucket-option-schemas.ts'
import type {
  BucketChange,
  BucketStatus,
} from '../../../../src/dashboard/management/management-schemas.ts'
import { formatExactBytes } from '../../format/bytes.ts'
import { bucketsTexts } from '../../texts/buckets.ts'
import { savedWebsite } from './website-draft.ts'

/** The settings of a bucket, as they are typed. */
export interface BucketDraft {
  /** Also true if a policy opens the bucket. Switching it off removes the policy. */
  readonly isPublic: boolean
  /** Empty if CORS_ALLOWED_ORIGINS applies. */
  readonly cors: readonly CorsRule[]
  /** In GiB; '' for no limit. */
  readonly quotaGib: string
  readonly rules: readonly RuleDraft[]
  readonly notifications: readonly NotificationRule[]
  /** null: there is none. */
  readonly website: WebsiteReply | null
  /** One per line: "name = value". */
  readonly tags: string
  /** Whether former versions are kept. */
  readonly hasVersions: boolean
  readonly former: FormerDraft
}

/** The rule that removes former versions of all objects. */
export interface FormerDraft {
  /** As stored; undefined if there is none. */
  readonly rule: ExpiryRule | undefined
  /** '' for never, unless `keep` is set. */
  readonly days: string
  /** '' for none. */
  readonly keep: string
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
  const { isEnabled, tags, largerThan, smallerThan, noncurrentDays, expiresMarkers } = rule
  const pairs = Object.entries(tags ?? {}).map(([key, value]) => `${key}=${value}`)
  return [
    ...(pairs.length > 0 ? [bucketsTexts.rule.tags(pairs.join(', '))] : []),
    ...(largerThan === undefined ? [] : [bucketsTexts.rule.larger(formatExactBytes(largerThan))]),
    ...(smallerThan === undefined
      ? []
      : [bucketsTexts.rule.smaller(formatExactBytes(smallerThan))]),
    ...(noncurrentDays === undefined ? [] : [formerText(ruleTexts(rule))]),
    ...(expiresMarkers ? [bucketsTexts.rule.markers] : []),
    ...(isEnabled ? [] : [bucketsTexts.rule.disabled]),
  ]
}

const gibBytes = 2 ** 30

export function draftOf({
  isPublic,
  openByPolicy,
  cors,
  quotaBytes,
  expiry,
  versioning,
  tags,
  notifications,
  website,
}: BucketStatus): BucketDraft {
  const former = expiry.find(isForFormer)
  return {
    isPublic: isPublic || openByPolicy.length > 0,
    cors: cors ?? [],
    notifications: notifications ?? [],
    website,
    tags: tagLines(tags ?? {}),
    quotaGib: quotaBytes === null ? '' : String(Number((quotaBytes / gibBytes).toFixed(3))),
    rules: expiry.filter((rule) => rule !== former).map(ruleDraftOf),
    hasVersions: versioning === 'enabled',
    former: {
      rule: former,
      ...(former === undefined ? { days: '', keep: '' } : ruleTexts(former)),
    },
  }
}

/** Whether the rule does what the fields for former versions show, and nothing else. */
function isForFormer(rule: ExpiryRule): boolean {
  const { isEnabled, prefix, days, date, abortUploadsDays, noncurrentDays } = rule
  const others = [days, date, abortUploadsDays, rule.tags, rule.largerThan, rule.smallerThan]
  const isAlone = others.every((value) => (value ?? null) === null)
  return isEnabled && prefix === '' && isAlone && noncurrentDays !== undefined
}

function ruleTexts({ noncurrentDays, newerNoncurrentVersions }: ExpiryRule) {
  return {
    days: textOf(noncurrentDays ?? null),
    keep: textOf(newerNoncurrentVersions ?? null),
  }
}

/** What happens to former versions, in words. */
export function formerText({ days, keep }: Pick<FormerDraft, 'days' | 'keep'>): string {
  if (days === '' && keep === '') return bucketsTexts.former.kept
  const after = Number(days || 1)
  if (keep === '') return bucketsTexts.former.deleted(after)
  if (keep === '1') return bucketsTexts.former.deletedButOne(after)
  return bucketsTexts.former.deletedBut(after, keep)
}

function ruleDraftOf(rule: ExpiryRule): RuleDraft {
  const { prefix, days, abortUploadsDays } = rule
  return { rule, prefix, days: textOf(days), uploadDays: textOf(abortUploadsDays) }
}

/** An empty rule with an id that no other rule has. */
export function newRule(rules: readonly RuleDraft[]): RuleDraft {
  return ruleDraftOf({
    ...emptyRule,
    id: freeId(
      'rule',
      rules.map(({ rule }) => rule),
      rules.length + 1,
    ),
  })
}

const emptyRule = {
  ...{ prefix: '', days: null, date: null, abortUploadsDays: null, isEnabled: true },
}

/** An id that no rule has. */
export function freeId(
  name: string,
  rules: readonly { readonly id: string }[],
  first: number,
): string {
  const ids = new Set(rules.map(({ id }) => id))
  let number = first
  while (ids.has(`${name}-${number}`)) number += 1
  return `${name}-${number}`
}

/** Without empty lines and spaces around values. */
function cleaned({ allowedOrigins, allowedHeaders, exposeHeaders, ...rule }: CorsRule): CorsRule {
  const clean = (lines: readonly string[]) =>
    lines.map((line) => line.trim()).filter((line) => line !== '')
  return {
    ...rule,
    allowedOrigins: clean(allowedOrigins),
    allowedHeaders: clean(allowedHeaders),
    exposeHeaders: clean(exposeHeaders),
  }
}

function tagLines(tags: Readonly<Record<string, string>>): string {
  return Object.entries(tags)
    .map(([name, value]) => `${name} = ${value}`)
    .join('\n')
}

function tagsOf(lines: string): Record<string, string> {
  const pairs = lines.split('\n').flatMap((line): [string, string][] => {
    if (line.trim() === '') return []
    // A name can contain `=` itself.
    const mark = `${line} `.includes(' = ') ? ' = ' : '='
    const [name = '', ...rest] = `${line} `.split(mark)
    return [[name.trim(), rest.join(mark).trim()]]
  })
  return Object.fromEntries(pairs)
}

/** The body of `PATCH /buckets/{bucket}`: only the fields that differ. Each replaces all rules of its kind. */
export function changeOf(bucket: BucketStatus, draft: BucketDraft): BucketChange {
  const before = draftOf(bucket)
  const { isPublic, quotaGib, hasVersions, notifications, tags } = draft
  const website = savedWebsite(draft.website, bucket.website)
  const cors = draft.cors.map(cleaned)
  const expiry = expiryOf(draft)
  return {
    ...(isPublic !== before.isPublic && { isPublic }),
    ...(!isSame(cors, before.cors.map(cleaned)) && { cors: cors.length === 0 ? null : cors }),
    ...(!isSame(notifications, before.notifications) && { notifications: [...notifications] }),
    ...(!isSame(tagsOf(tags), tagsOf(before.tags)) && { tags: tagsOf(tags) }),
    ...(!isSame([website], [savedWebsite(before.website, bucket.website)]) && { website }),
    ...(quotaGib !== before.quotaGib && {
      quotaBytes: quotaGib === '' ? null : Math.round(Number(quotaGib) * gibBytes),
    }),
    ...(!isSame(expiry, expiryOf(before)) && { expiry }),
    ...(hasVersions !== before.hasVersions && {
      versioning: hasVersions ? ('enabled' as const) : ('suspended' as const),
    }),
  }
}

function isSame(one: object, other: object): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

function expiryOf({ rules, former }: BucketDraft): ExpiryRule[] {
  const { days, keep, rule } = former
  const others = rules.map(ruleOf)
  if (days === '' && keep === '') return others
  const begun: ExpiryRule = {
    ...emptyRule,
    id: freeId(
      'former-versions',
      rules.map(({ rule }) => rule),
      1,
    ),
    expiresMarkers: true,
  }
  const { newerNoncurrentVersions: _, ...kept } = rule ?? begun
  // S3 requires a number of days.
  const noncurrentDays = numberOf(days) ?? 1
  const newer = numberOf(keep)
  return [
    ...others,
    { ...kept, noncurrentDays, ...(newer !== null && { newerNoncurrentVersions: newer }) },
  ]
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
