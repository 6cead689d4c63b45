import type { Tags } from '../drives/attributes.ts'

export const dayMs = 24 * 60 * 60_000

/** The last time of a Date, in the year 275760: a rule may have 2,147,483,647 days. */
const lastTimeMs = 8.64e15

/**
 * A rule that removes objects or uploads from a bucket after some time
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/API_LifecycleRule.html).
 */
export interface LifecycleRule {
  /** Unique in its bucket. */
  readonly id: string
  /** Only keys that begin with this. Empty: all keys. */
  readonly prefix: string
  /**
   * The form in which the client wrote prefix, tags and sizes, so that they are returned in the same form: a prefix in
   * `Filter`, the older element `Prefix`, nothing, one tag or size in `Filter`, or `And`.
   */
  readonly prefixForm: 'filter' | 'rule' | 'none' | 'tag' | 'size' | 'and' | 'and-without-prefix'
  /** Only objects that have all these tags. Never with `abortUploadsDays`. */
  readonly tags?: Tags
  /** Only objects of more bytes than this. Never with `abortUploadsDays`. */
  readonly largerThan?: number
  /** Only objects of fewer bytes than this. Never with `abortUploadsDays`. */
  readonly smallerThan?: number
  readonly isEnabled: boolean
  /** Objects expire this many days after they were written. */
  readonly days?: number
  /** Objects expire at this time: midnight UTC, milliseconds since the epoch. */
  readonly dateMs?: number
  /** Open uploads are aborted this many days after they began. */
  readonly abortUploadsDays?: number
}

export interface ObjectExpiry {
  readonly rule: LifecycleRule
  readonly atMs: number
}

/** The fields that decide when an object expires. */
interface RuledObject {
  readonly key: string
  readonly size: number
  readonly modifiedAtMs: number
  /** `unknown`: the object may have the tags of any rule. */
  readonly tags: Tags | 'unknown' | undefined
}

/** When an object expires, by the rule with the earliest time. Undefined: never. */
export function objectExpiry(
  rules: readonly LifecycleRule[],
  { key, size, modifiedAtMs, tags }: RuledObject,
): ObjectExpiry | undefined {
  return earliest(rules, key, ({ days, dateMs, tags: wanted, largerThan, smallerThan }) => {
    if (wanted !== undefined && !hasAll(tags, wanted)) return undefined
    if (size <= (largerThan ?? -1) || size >= (smallerThan ?? Infinity)) return undefined
    if (dateMs !== undefined) return dateMs
    return days === undefined ? undefined : midnightAfter(modifiedAtMs, days)
  })
}

/** When an open upload is aborted, by the rule with the earliest time. Undefined: never. */
export function uploadExpiry(
  rules: readonly LifecycleRule[],
  key: string,
  createdAtMs: number,
): ObjectExpiry | undefined {
  return earliest(rules, key, ({ abortUploadsDays: days }) =>
    days === undefined ? undefined : midnightAfter(createdAtMs, days),
  )
}

/** Whether any enabled rule may remove objects. */
export function expiresObjects(rules: readonly LifecycleRule[]): boolean {
  return rules.some((rule) => rule.isEnabled && (rule.days ?? rule.dateMs) !== undefined)
}

/** Whether any enabled rule may abort uploads. */
export function abortsUploads(rules: readonly LifecycleRule[]): boolean {
  return rules.some((rule) => rule.isEnabled && rule.abortUploadsDays !== undefined)
}

/**
 * S3 User Guide, "Lifecycle configuration elements": "Amazon S3 calculates the time by adding the
 * number of days specified in the rule to the object creation time and rounding the resulting time to
 * the next day midnight UTC."
 */
function midnightAfter(timeMs: number, days: number): number {
  return Math.min((Math.floor(timeMs / dayMs) + 1 + days) * dayMs, lastTimeMs)
}

function hasAll(tags: RuledObject['tags'], wanted: Tags): boolean {
  if (tags === 'unknown') return true
  return Object.entries(wanted).every(
    ([key, value]) => tags !== undefined && Object.hasOwn(tags, key) && tags[key] === value,
  )
}

function earliest(
  rules: readonly LifecycleRule[],
  key: string,
  timeOf: (rule: LifecycleRule) => number | undefined,
): ObjectExpiry | undefined {
  let found: ObjectExpiry | undefined
  for (const rule of rules) {
    // Faster than startsWith, which compares one character at a time.
    if (!rule.isEnabled || key.slice(0, rule.prefix.length) !== rule.prefix) continue
    const atMs = timeOf(rule)
    if (atMs !== undefined && (found === undefined || atMs < found.atMs)) found = { rule, atMs }
  }
  return found
}
