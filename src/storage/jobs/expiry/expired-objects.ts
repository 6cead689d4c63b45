import { compareKeys, sortKeys } from '../../../platform/text/key-order.ts'
import { dayMs, type LifecycleRule, objectExpiry } from '../../buckets/lifecycle-rules.ts'
import type { ObjectEntry } from '../../drives/listed-entry.ts'
import { type Walk, walk } from '../walk.ts'

export interface ExpiredObjectsQuery extends Omit<Walk, 'prefix' | 'delimiter' | 'hasPauses'> {
  readonly rules: readonly LifecycleRule[]
  /** What expires at this time or before has expired. */
  readonly cutoffMs: number
  /** Only keys after this. */
  readonly after: string
}

export interface ExpiredPage {
  readonly expired: readonly ObjectEntry[]
  /** Of the page, whether it has expired or not. */
  readonly lastKey: string
}

/** What expires until then is removed at this time: once a day, after midnight UTC. */
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
 * Lists what the rules may remove (a listing has no tags), in key order and with pauses.
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
 * The prefixes to list for all objects that rules may expire: in key order, none inside another, without
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
