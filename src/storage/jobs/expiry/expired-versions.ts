import {
  formerExpiry,
  type LifecycleRule,
  markerExpiry,
  objectExpiry,
} from '../../buckets/lifecycle-rules.ts'
import type { VersionEntry } from '../../drives/versions.ts'

/** What rules may remove, as of a listing. */
export type Expired = Pick<VersionEntry, 'key' | 'size' | 'modifiedAtMs'> & {
  /** A former version or a delete marker. Absent: the current object. */
  readonly former?: FormerEntry
}

type FormerEntry = Pick<VersionEntry, 'versionId' | 'isDeleteMarker'> & {
  readonly replacedAtMs: number
  readonly newer: number
}

interface Rules {
  readonly rules: readonly LifecycleRule[]
  /** What expires at this time or before has expired. */
  readonly cutoffMs: number
}

/** Whether the rules remove the object. */
export function isExpired(
  { rules, cutoffMs }: Rules,
  object: Parameters<typeof objectExpiry>[1],
): boolean {
  const expiry = objectExpiry(rules, object)
  return expiry !== undefined && expiry.atMs <= cutoffMs
}

/** Whether the rules remove this former version, or former delete marker. @param tags as in `objectExpiry` */
export function isFormerExpired(
  { rules, cutoffMs }: Rules,
  { key, size, former }: Expired & { readonly former: FormerEntry },
  tags: Parameters<typeof formerExpiry>[1]['tags'],
): boolean {
  // A marker has no tags.
  const known = former.isDeleteMarker ? undefined : tags
  const expiry = formerExpiry(rules, { key, size, tags: known, ...former })
  return expiry !== undefined && expiry.atMs <= cutoffMs
}

/**
 * Finds what the rules remove among versions that come key by key, the newest first, in the memory of one version.
 */
export class ExpiredVersions {
  readonly #rules: Rules
  /** The last key whose versions have all been seen; '' before the first one. */
  lastKey = ''
  #key = ''
  /** The former versions of the key so far. */
  #former = 0
  /** The newest version of the key, if it is a delete marker that is removed once no other version is left. */
  #marker: VersionEntry | undefined
  #hasOthers = false

  constructor(rules: Rules) {
    this.#rules = rules
  }

  /** @returns whether the version has expired, and a delete marker of the key before that has */
  see(entry: VersionEntry): { readonly expired?: Expired; readonly marker?: VersionEntry } {
    const marker = entry.key === this.#key ? undefined : this.end()
    this.#key = entry.key
    const expired = entry.isLatest ? this.#seeLatest(entry) : this.#seeFormer(entry)
    return { ...(expired && { expired }), ...(marker && { marker }) }
  }

  /** Ends the key. @returns its delete marker, if only expired versions are with it and it has expired */
  end(): VersionEntry | undefined {
    const marker = this.#hasOthers ? undefined : this.#marker
    this.lastKey = this.#key
    this.#former = 0
    this.#marker = undefined
    this.#hasOthers = false
    return marker
  }

  #seeLatest(entry: VersionEntry): Expired | undefined {
    const { key, size, modifiedAtMs, isDeleteMarker } = entry
    if (isDeleteMarker) {
      const expiry = markerExpiry(this.#rules.rules, entry)
      if (expiry !== undefined && expiry.atMs <= this.#rules.cutoffMs) this.#marker = entry
      return undefined
    }
    const object = { key, size, modifiedAtMs }
    return isExpired(this.#rules, { ...object, tags: 'unknown' }) ? object : undefined
  }

  #seeFormer(entry: VersionEntry): Expired | undefined {
    const { key, size, modifiedAtMs, versionId, isDeleteMarker, replacedAtMs } = entry
    const newer = this.#former
    this.#former += 1
    // When the file of the newest version was removed by hand, nobody knows when: it stays.
    if (replacedAtMs !== undefined) {
      const former = { versionId, isDeleteMarker, replacedAtMs, newer }
      const expired = { key, size, modifiedAtMs, former }
      if (isFormerExpired(this.#rules, expired, 'unknown')) return expired
    }
    this.#hasOthers = true
    return undefined
  }
}
