import { setTimeout as wait } from 'node:timers/promises'
import type { Drive } from '../../drives/drive.ts'
import type { ObjectEntry } from '../../drives/listed-entry.ts'
import { untilAborted } from '../../process/time-limit.ts'
import { dayMs, type LifecycleRule, objectExpiry } from '../lifecycle-rules.ts'
import { expiringPrefixes } from './expiring-prefixes.ts'

/** Entries in memory at a time. */
const pageEntries = 500

/** A pause as long as the page follows each page, within limits, so that requests take priority. */
const minPauseMs = 1
const maxPauseMs = 1_000

export interface ExpiredObjectsQuery {
  readonly drive: Pick<Drive, 'list'>
  readonly bucket: string
  readonly rules: readonly LifecycleRule[]
  /** What expires at this time or before has expired. */
  readonly cutoffMs: number
  /** Only keys after this. */
  readonly after: string
  readonly signal: AbortSignal
  /** Called before each page. Rejects if the listing has to stop. */
  readonly assertMayGoOn?: () => Promise<void>
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
  { key, modifiedAtMs }: Pick<ObjectEntry, 'key' | 'modifiedAtMs'>,
): boolean {
  const expiry = objectExpiry(rules, key, modifiedAtMs)
  return expiry !== undefined && expiry.atMs <= cutoffMs
}

/**
 * Lists what the rules remove, in key order and with pauses.
 *
 * @throws DriveError; the signal's reason; and as `assertMayGoOn`.
 */
export async function* expiredObjects(query: ExpiredObjectsQuery): AsyncGenerator<ExpiredPage> {
  const { drive, bucket, rules, after, signal } = query
  for (const prefix of expiringPrefixes(rules, after)) {
    const cursor = drive.list(bucket, { prefix, after })
    for (;;) {
      const pageBegan = performance.now()
      await query.assertMayGoOn?.()
      const entries = await untilAborted(cursor.next(pageEntries), signal)
      const lastKey = entries.at(-1)?.key
      if (lastKey === undefined) break
      const objects = entries.filter((entry) => entry.kind === 'object')
      yield { expired: objects.filter((object) => isExpired(query, object)), lastKey }
      await pauseAfter(pageBegan, signal)
    }
  }
}

/** @param beganAt of what was done, as of `performance.now` */
export async function pauseAfter(beganAt: number, signal: AbortSignal): Promise<void> {
  const pauseMs = Math.min(Math.max(performance.now() - beganAt, minPauseMs), maxPauseMs)
  await wait(pauseMs, undefined, { signal, ref: false })
}
