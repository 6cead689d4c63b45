import { compareKeys, sortKeys } from '../../../platform/text/key-order.ts'
import { dayMs, type LifecycleRule, mayExpire } from '../../buckets/lifecycle-rules.ts'
import type { Drive } from '../../drives/drive.ts'
import type { VersionEntry } from '../../drives/versions.ts'
import { safeSum, type Walk, walk, walkVersions } from '../walk.ts'
import { type Expired, ExpiredVersions, isExpired } from './expired-versions.ts'

type ListingDrive = Pick<Drive, 'list' | 'listVersions'>

export interface ExpiredObjectsQuery extends Omit<Walk, 'prefix' | 'delimiter' | 'hasPauses'> {
  readonly drive: ListingDrive
  /** Whether the bucket has or had versions. */
  readonly hasVersions: boolean
  readonly rules: readonly LifecycleRule[]
  /** Objects that expire at this time or before have expired. */
  readonly cutoffMs: number
  /** Only keys after this. */
  readonly after: string
}

export interface ExpiredPage {
  readonly expired: readonly Expired[]
  /** Delete markers that are removed if, without what has expired, nothing else is left of their keys. */
  readonly markers: readonly VersionEntry[]
  /** The last key of which nothing else follows, expired or not; '' if there is none yet. */
  readonly lastKey: string
}

/** The cutoff of a run at this time: the last midnight UTC. */
export function expiryCutoff(nowMs: number): number {
  return Math.floor(nowMs / dayMs) * dayMs
}

/**
 * Lists objects, and in a bucket with versions also versions, that the rules may remove (a listing has no tags), in key
 * order and with pauses.
 *
 * @throws as `walk`
 */
export async function* expiredObjects(query: ExpiredObjectsQuery): AsyncGenerator<ExpiredPage> {
  for (const prefix of expiringPrefixes(query.rules, query.after, query.hasVersions)) {
    const listing = { ...query, prefix, hasPauses: true }
    if (query.hasVersions) yield* expiredVersions(query, walkVersions(listing))
    else {
      for await (const entries of walk(listing)) {
        const objects = entries.filter((entry) => entry.kind === 'object')
        const expired = objects.filter((object) => isExpired(query, { ...object, tags: 'unknown' }))
        yield { expired, markers: [], lastKey: entries.at(-1)?.key ?? '' }
      }
    }
  }
}

async function* expiredVersions(
  query: ExpiredObjectsQuery,
  pages: AsyncIterable<readonly VersionEntry[]>,
): AsyncGenerator<ExpiredPage> {
  const versions = new ExpiredVersions(query)
  for await (const entries of pages) {
    const seen = entries.map((entry) => versions.see(entry))
    const expired = seen.flatMap((one) => one.expired ?? [])
    const markers = seen.flatMap(({ marker }) => marker ?? [])
    yield { expired, markers, lastKey: versions.lastKey }
  }
  const marker = versions.end()
  yield { expired: [], markers: marker === undefined ? [] : [marker], lastKey: versions.lastKey }
}

/**
 * The prefixes to list for all objects that rules may expire, in key order, without prefixes inside others and without
 * those whose keys are all before `after`.
 */
export function expiringPrefixes(
  rules: readonly LifecycleRule[],
  after: string,
  hasVersions = false,
): string[] {
  const wanted = rules.filter((rule) => mayExpire(rule, hasVersions)).map(({ prefix }) => prefix)
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
  readonly drive: ListingDrive
  readonly hasVersions: (bucket: string) => boolean
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

/** The result of one call. Objects of a bucket with versions become former versions. */
export interface DryRunFindings {
  readonly objects: number
  readonly bytes: number
  /** The last change of the oldest of them. Undefined without objects. */
  readonly oldestMs: number | undefined
  /** Former versions and delete markers. */
  readonly formerVersions: { readonly count: number; readonly bytes: number }
  /** Where to continue. Undefined: everything was checked. */
  readonly next: string | undefined
}

const nothingFound: DryRunFindings = {
  ...{ objects: 0, bytes: 0, oldestMs: undefined, next: undefined },
  formerVersions: { count: 0, bytes: 0 },
}

/**
 * Counts what the rules would remove from the bucket now. Removes nothing.
 *
 * @throws DriveError; the signal's reason
 */
export async function dryRunExpiry(
  { drive, hasVersions, now, limitMs = defaultLimitMs, hangMs = defaultHangMs }: DryRunParts,
  query: DryRunQuery,
): Promise<DryRunFindings> {
  const endsAt = performance.now() + limitMs
  const listing = { ...query, drive, hangMs, hasVersions: hasVersions(query.bucket) }
  const pages = expiredObjects({ ...listing, cutoffMs: expiryCutoff(now()) })
  const tally = new DryRunTally()
  for await (const page of pages) {
    tally.add(page)
    const { lastKey } = page
    if (performance.now() >= endsAt && lastKey !== '') {
      return { ...tally.until(lastKey), next: lastKey }
    }
  }
  return tally.all
}

class DryRunTally {
  all = nothingFound
  #key = ''
  /** Without the last key, of which the next page may have more. */
  #before = nothingFound

  add({ expired, markers }: ExpiredPage): void {
    for (const one of expired) {
      if (one.key !== this.#key) this.#before = this.all
      this.#key = one.key
      this.all = one.former === undefined ? withObject(this.all, one) : withFormer(this.all, one)
    }
    for (const marker of markers) this.all = withFormer(this.all, marker)
  }

  until(lastKey: string): DryRunFindings {
    return compareKeys(this.#key, lastKey) <= 0 ? this.all : this.#before
  }
}

function withObject(found: DryRunFindings, { size, modifiedAtMs }: Expired): DryRunFindings {
  const { objects, bytes, oldestMs = modifiedAtMs } = found
  const oldest = Math.min(oldestMs, modifiedAtMs)
  return { ...found, objects: objects + 1, bytes: safeSum(bytes, size), oldestMs: oldest }
}

function withFormer(found: DryRunFindings, { size }: Pick<Expired, 'size'>): DryRunFindings {
  const { count, bytes } = found.formerVersions
  return { ...found, formerVersions: { count: count + 1, bytes: safeSum(bytes, size) } }
}
