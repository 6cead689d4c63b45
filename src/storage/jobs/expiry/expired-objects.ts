import { compareKeys, sortKeys } from '../../../platform/text/key-order.ts'
import { dayMs, type LifecycleRule, objectExpiry } from '../../buckets/lifecycle-rules.ts'
import type { Drive } from '../../drives/drive.ts'
import type { ObjectEntry } from '../../drives/listed-entry.ts'
import { type Walk, walk } from '../walk.ts'

export interface ExpiredObjectsQuery extends Omit<Walk, 'prefix' | 'delimiter' | 'hasPauses'> {
  readonly rules: readonly LifecycleRule[]
  /** Objects that expire at this time or before have expired. */
  readonly cutoffMs: number
  /** Only keys after this. */
  readonly after: string
}

export interface ExpiredPage {
  readonly expired: readonly ObjectEntry[]
  /** The last key of the page, expired or not. */
  readonly lastKey: string
}

/** The cutoff of a run at this time: the last midnight UTC. */
export function expiryCutoff(nowMs: number): number {
  return Math.floor(nowMs / dayMs) * dayMs
}

/** Whether the rules remove the object. */
export function isExpired(
  { rules, cutoffMs }: Pick<ExpiredObjectsQuery, 'rules' | 'cutoffMs'>,
  object: Parameters<typeof objectExpiry>[1],
): boolean {
  const expiry = objectExpiry(rules, object)
  return expiry !== undefined && expiry.atMs <= cutoffMs
}

/**
 * Lists objects that the rules may remove (a listing has no tags), in key order and with pauses.
 *
 * @throws as `walk`
 */
export async function* expiredObjects(query: ExpiredObjectsQuery): AsyncGenerator<ExpiredPage> {
  for (const prefix of expiringPrefixes(query.rules, query.after)) {
    for await (const entries of walk({ ...query, prefix, hasPauses: true })) {
      const objects = entries.filter((entry) => entry.kind === 'object')
      const expired = objects.filter((object) => isExpired(query, { ...object, tags: 'unknown' }))
      yield { expired, lastKey: entries.at(-1)?.key ?? '' }
    }
  }
}

/**
 * The prefixes to list for all objects that rules may expire, in key order, without prefixes inside others and without
 * those whose keys are all before `after`.
 */
export function expiringPrefixes(rules: readonly LifecycleRule[], after: string): string[] {
  const wanted = rules
    .filter((rule) => rule.isEnabled && (rule.days ?? rule.dateMs) !== undefined)
    .map(({ prefix }) => prefix)
  const prefixes: string[] = []
  for (const prefix of sortKeys([...new Set(wanted)])) {
    const last = prefixes.at(-1)
    // A prefix is directly followed by the prefixes inside it.
    if (last === undefined || !prefix.startsWith(last)) prefixes.push(prefix)
  }
  return prefixes.filter((prefix) => after.startsWith(prefix) || compareKeys(prefix, after) > 0)
}

/** Together less than a minute, after which proxies give up. */
const defaultLimitMs = 10_000
const defaultHangMs = 30_000

export interface DryRunParts {
  readonly drive: Pick<Drive, 'list'>
  /** The database's time, milliseconds since the epoch. */
  readonly now: () => number
  /** After this time, another call has to continue. */
  readonly limitMs?: number
  /** How long the drive may take for a page. */
  readonly hangMs?: number
}

export interface DryRunQuery {
  readonly bucket: string
  readonly rules: readonly LifecycleRule[]
  /** `next` of the previous call; empty: from the beginning. */
  readonly after: string
  /** Aborts to stop. */
  readonly signal: AbortSignal
}

/** The result of one call. */
export interface DryRunFindings {
  readonly objects: number
  readonly bytes: number
  /** The last change of the oldest of them. Undefined without objects. */
  readonly oldestMs: number | undefined
  /** Where to continue. Undefined: everything was checked. */
  readonly next: string | undefined
}

/**
 * Counts what the rules would remove from the bucket now. Removes nothing.
 *
 * @throws DriveError; the signal's reason
 */
export async function dryRunExpiry(
  { drive, now, limitMs = defaultLimitMs, hangMs = defaultHangMs }: DryRunParts,
  query: DryRunQuery,
): Promise<DryRunFindings> {
  const endsAt = performance.now() + limitMs
  let [objects, bytes, oldestMs] = [0, 0, Number.POSITIVE_INFINITY]
  const findings = (next?: string) => {
    return { objects, bytes, oldestMs: objects === 0 ? undefined : oldestMs, next }
  }
  const pages = expiredObjects({ ...query, drive, hangMs, cutoffMs: expiryCutoff(now()) })
  for await (const { expired, lastKey } of pages) {
    for (const { size, modifiedAtMs } of expired) {
      objects += 1
      // Sparse files may add up to more than the maximum safe integer.
      bytes = Math.min(bytes + size, Number.MAX_SAFE_INTEGER)
      oldestMs = Math.min(oldestMs, modifiedAtMs)
    }
    if (performance.now() >= endsAt) return findings(lastKey)
  }
  return findings()
}
