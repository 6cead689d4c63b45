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
  /** Former versions are removed permanently this many days after they were replaced. */
  readonly noncurrentDays?: number
  /** Only with `noncurrentDays`: this many of the newest former versions of an object stay. */
  readonly newerNoncurrentVersions?: number
  /** Whether delete markers are removed that are the only version of their key. Never with `days`, `dateMs` and `tags`. */
  readonly expiresMarkers?: boolean
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

/**
 * When an object expires, by the rule with the earliest time. Undefined: never. In a bucket with versions, the current
 * version then becomes a former one.
 */
export function objectExpiry(
  rules: readonly LifecycleRule[],
  object: RuledObject,
): ObjectExpiry | undefined {
  return earliest(rules, object.key, (rule) => {
    if (!isFor(rule, object)) return undefined
    if (rule.dateMs !== undefined) return rule.dateMs
    return rule.days === undefined ? undefined : midnightAfter(object.modifiedAtMs, rule.days)
  })
}

/** A former version of an object, or a former delete marker. */
export interface FormerVersion extends Omit<RuledObject, 'modifiedAtMs'> {
  /** When it was replaced, milliseconds since the epoch. */
  readonly replacedAtMs: number
  /** The number of former versions of the same key that are newer. */
  readonly newer: number
}

/**
 * When a former version is removed, by the rule with the earliest time. Undefined: never
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/API_NoncurrentVersionExpiration.html).
 */
export function formerExpiry(
  rules: readonly LifecycleRule[],
  version: FormerVersion,
): ObjectExpiry | undefined {
  return earliest(rules, version.key, (rule) => {
    const { noncurrentDays: days, newerNoncurrentVersions: kept = 0 } = rule
    if (days === undefined || version.newer < kept || !isFor(rule, version)) return undefined
    return midnightAfter(version.replacedAtMs, days)
  })
}

/**
 * When a delete marker is removed that is the only version of its key. S3 User Guide, "Lifecycle configuration elements":
 * with Days, S3 removes it when it is old enough; ExpiredObjectDeleteMarker removes it earlier.
 */
export function markerExpiry(
  rules: readonly LifecycleRule[],
  marker: Pick<RuledObject, 'key' | 'modifiedAtMs'>,
): ObjectExpiry | undefined {
  const early = earliest(rules, marker.key, ({ expiresMarkers, largerThan }) =>
    // A marker has no bytes.
    expiresMarkers && largerThan === undefined ? marker.modifiedAtMs : undefined,
  )
  return early ?? objectExpiry(rules, { ...marker, size: 0, tags: undefined })
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

/** Whether the rule is enabled and may remove objects; with `hasVersions`, former versions or delete markers as well. */
export function mayExpire(rule: LifecycleRule, hasVersions: boolean): boolean {
  const { isEnabled, days, dateMs, noncurrentDays, expiresMarkers = false } = rule
  const ofVersions = noncurrentDays !== undefined || expiresMarkers
  return isEnabled && ((days ?? dateMs) !== undefined || (hasVersions && ofVersions))
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

function isFor(
  { tags: wanted, largerThan = -1, smallerThan = Infinity }: LifecycleRule,
  { size, tags }: Pick<RuledObject, 'size' | 'tags'>,
): boolean {
  if (wanted !== undefined && !hasAll(tags, wanted)) return false
  return size > largerThan && size < smallerThan
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
