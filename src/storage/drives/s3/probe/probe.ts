import { randomBytes } from 'node:crypto'
import type { ChecksumAlgorithm } from '../../../../platform/checksums/checksum.ts'
import type { Tags } from '../../attributes.ts'
import type { ObjectName } from '../../drive.ts'
import { DriveError } from '../../drive-error.ts'
import type { VersioningOf } from '../../versions.ts'
import type { Store } from '../requests/store.ts'
import { type Abilities, type StoreAbility, storeAbilities } from '../requests/store-abilities.ts'
import { abilitiesOfKey, type StoreNames } from '../requests/store-names.ts'
import { probeChecks } from './probe-checks.ts'
import { ProbeRequests } from './probe-requests.ts'

/** What all parts of the drive use. */
export interface StoreContext {
  readonly store: Store
  readonly names: StoreNames
  readonly probe: Probe
  readonly versioningOf: VersioningOf
  /** Buckets of the store that are known to have Object Lock, which can't be turned off. */
  readonly lockedBuckets: Set<string>
}

/** New in AWS in 2026: few stores have them, and the SDK does not compute them. */
const newer = /^(?:MD5|SHA512|XXHASH\d+)$/

/** The checksum that AWS adds by default. */
export const unaskedChecksum = 'CRC64NVME'

/** Older objects were left by a probe that was killed. */
const leftAfterMs = 60 * 60_000

/** Tests the store's abilities on names of its own, once per process. */
export class Probe {
  readonly #store: Store
  readonly #names: StoreNames
  #found: Promise<Abilities> | undefined

  constructor(store: Store, names: StoreNames) {
    this.#store = store
    this.#names = names
  }

  /** @param bucket the probe writes to it, if the buckets are those of the store */
  abilities(bucket: string): Promise<Abilities> {
    this.#found ??= this.#run(bucket).catch((error: unknown) => {
      // The next caller tries again.
      this.#found = undefined
      throw error
    })
    return this.#found
  }

  /** @throws DriveError `not-implemented` */
  async require(bucket: string, ability: StoreAbility): Promise<void> {
    if ((await this.abilities(bucket))[ability]) return
    const message = `The S3 store behind this bucket does not have ${storeAbilities[ability]}.`
    throw new DriveError('not-implemented', message)
  }

  /**
   * The checksum to send at the end of a streamed body. A store that mistakes the end of the connection for the end of the
   * body rejects the body without it.
   *
   * @param wanted the client's choice
   * @throws DriveError `not-implemented`
   */
  async trailer(
    bucket: string,
    wanted: ChecksumAlgorithm | undefined,
  ): Promise<ChecksumAlgorithm | undefined> {
    const kept = (await this.keeps(bucket, wanted)) ? wanted : undefined
    if ((await this.abilities(bucket)).wholeBodies) return kept
    await this.require(bucket, 'checksums')
    return kept ?? unaskedChecksum
  }

  /** Whether the store is asked to store the checksum. Bucketry verifies it in any case. */
  async keeps(bucket: string, algorithm: ChecksumAlgorithm | undefined): Promise<boolean> {
    if (algorithm === undefined || newer.test(algorithm)) return false
    return (await this.abilities(bucket)).checksums
  }

  /** @throws DriveError `not-implemented` if the store may mistake the key for another one */
  async requireKey({ bucket, key }: ObjectName): Promise<void> {
    const { prefix } = this.#names.placeOf(bucket)
    for (const ability of abilitiesOfKey(prefix + key)) await this.require(bucket, ability)
  }

  /** @throws DriveError `not-implemented` if there are tags that the store would drop */
  async requireTags(bucket: string, tags: Tags = {}): Promise<void> {
    if (Object.keys(tags).length > 0) await this.require(bucket, 'tags')
  }

  async #run(bucket: string): Promise<Abilities> {
    const all = this.#names.ownName(bucket, '')
    const own = { ...all, Key: `${all.Key}${randomBytes(8).toString('hex')}/` }
    const requests = new ProbeRequests(this.#store, own)
    await new ProbeRequests(this.#store, all).removeAll(leftAfterMs)
    try {
      const found = Object.entries(probeChecks).map(
        async ([ability, check]) => [ability, await check(requests)] as const,
      )
      return Object.fromEntries(await Promise.all(found)) as Record<StoreAbility, boolean>
    } finally {
      await requests.removeAll(0)
    }
  }
}
