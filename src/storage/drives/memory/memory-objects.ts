import { randomBytes } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { AttributeChange, Attributes, LockRules } from '../attributes.ts'
import type { ObjectMetadata, ObjectName, RemovalConditions, WriteConditions } from '../drive.ts'
import { DriveError, hasHistory, notEmpty } from '../drive-error.ts'
import type { Ranked } from '../kit/define/sorted-cursor.ts'
import { metadataOf } from '../kit/open-objects.ts'
import { listedAttributes, type ObjectEntry } from '../listed-entry.ts'
import { assertUnlocked, changedAttributes } from '../object-lock.ts'
import {
  isEnabled,
  nullVersionId,
  type Removal,
  type VersionEntry,
  type VersioningOf,
  type VersionOptions,
} from '../versions.ts'
import { assertConditions } from '../write-conditions.ts'

/** A version of an object, or a delete marker. Never changes. */
export interface MemoryObject extends ObjectMetadata {
  /** `null` in a bucket that never had versions. */
  readonly versionId: string
  /** Greater for each version that was created later. */
  readonly order: number
  readonly bytes: Uint8Array
  /** The state of the upload that created it. */
  readonly uploadState?: string
}

export interface NewMemoryObject {
  readonly bytes: Uint8Array
  readonly attributes: Attributes
  readonly conditions?: WriteConditions | undefined
  readonly uploadState?: string
}

export interface MemoryOptions {
  /** The limit for all versions together. @default 1 GiB */
  readonly capacityBytes?: number
  /** Milliseconds since the epoch. @default Date.now */
  readonly now?: () => number
  /** Absent: no bucket has versions. */
  readonly versioningOf?: VersioningOf | undefined
}

interface MemoryBucket {
  readonly createdAtMs: number
  /** The versions of each key, the newest first. None is empty. */
  readonly histories: Map<string, readonly MemoryObject[]>
}

const marker = {
  bytes: new Uint8Array(),
  attributes: { etag: '', headers: {}, metadata: {} },
  isDeleteMarker: true,
} as const

/** The number of an order in an ID is of this many hexadecimal digits: enough for all safe integers. */
const orderDigits = 14

/** How many versions may be created in a millisecond before their orders are ahead of the clock. */
const ordersInMs = 1_000

/** Makes version IDs: 32 hexadecimal digits that are in the order of creation, and that nobody can guess. */
class MemoryVersionIds {
  #last = 0

  next(nowMs: number): { readonly order: number; readonly id: string } {
    const order = Math.max(this.#last + 1, Math.floor(nowMs) * ordersInMs)
    this.#last = order
    const random = randomBytes(9).toString('hex')
    return { order, id: order.toString(16).padStart(orderDigits, '0') + random }
  }

  /** Infinity for the ID `null`, and for one that no version ever had. */
  orderOf(id: string): number {
    return isMemoryVersionId(id) ? Number.parseInt(id.slice(0, orderDigits), 16) : Infinity
  }
}

export function isMemoryVersionId(id: string): boolean {
  return /^[0-9a-f]{32}$/.test(id)
}

/** The buckets and their objects. Every change is made in one turn of the event loop, so it is atomic. */
export class MemoryObjects {
  readonly capacityBytes: number
  readonly now: () => number
  readonly #versioningOf: VersioningOf
  readonly #ids = new MemoryVersionIds()
  readonly #buckets = new Map<string, MemoryBucket>()
  #usedBytes = 0

  constructor(options: MemoryOptions) {
    this.capacityBytes = options.capacityBytes ?? 1024 ** 3
    this.now = options.now ?? Date.now
    this.#versioningOf = options.versioningOf ?? (() => undefined)
  }

  get freeBytes(): number {
    return this.capacityBytes - this.#usedBytes
  }

  addBucket(bucket: string): void {
    if (this.#buckets.has(bucket)) return
    this.#buckets.set(bucket, { createdAtMs: this.now(), histories: new Map() })
  }

  /** @throws DriveError `not-empty`, also if there are only former versions or delete markers (AWS, DeleteBucket) */
  removeBucket(name: string): boolean {
    const histories = [...(this.#buckets.get(name)?.histories.values() ?? [])]
    if (histories.some(([newest]) => !newest?.isDeleteMarker)) throw notEmpty(name)
    if (histories.length > 0) throw hasHistory(name)
    return this.#buckets.delete(name)
  }

  /** @throws DriveError `no-bucket` for a bucket that was not prepared. */
  bucket(name: string): MemoryBucket {
    const bucket = this.#buckets.get(name)
    if (bucket !== undefined) return bucket
    throw new DriveError('no-bucket', `The drive has no bucket ${name}: prepare creates buckets`)
  }

  /** The current version, which is no delete marker, or the one with the `versionId`. */
  get(name: ObjectName, { versionId }: VersionOptions = {}): MemoryObject | undefined {
    const versions = this.#history(name)
    if (versionId !== undefined) return versions.find((version) => version.versionId === versionId)
    return versions[0]?.isDeleteMarker ? undefined : versions[0]
  }

  hidingMarker(name: ObjectName): string | undefined {
    const [newest] = this.#history(name)
    return newest?.isDeleteMarker && newest.versionId
  }

  /** The version that an upload created. */
  completed(name: ObjectName, uploadState: string): MemoryObject | undefined {
    return this.#history(name).find((version) => version.uploadState === uploadState)
  }

  entries(bucket: string): ObjectEntry[] {
    return [...this.bucket(bucket).histories].flatMap(([key, [current]]) => {
      if (current === undefined || current.isDeleteMarker) return []
      const { size, modifiedAtMs, attributes } = current
      return [{ kind: 'object', key, size, modifiedAtMs, ...listedAttributes(attributes) }]
    })
  }

  versions(bucket: string): Ranked<VersionEntry>[] {
    return [...this.bucket(bucket).histories].flatMap(([key, versions]) => {
      return versions.map((version, index) => ({
        entry: versionEntry(key, version, versions[index - 1]),
        rank: -version.order,
      }))
    })
  }

  /** The rank of a version in `versions`, also after its removal. */
  rankOf(name: ObjectName, versionId: string): number {
    const found = this.get(name, { versionId })
    return -(found?.order ?? this.#ids.orderOf(versionId))
  }

  put(name: ObjectName, { conditions, ...content }: NewMemoryObject): MemoryObject {
    assertConditions(name, this.get(name)?.attributes.etag, conditions)
    return this.#add(name, content)
  }

  setAttributes(
    name: ObjectName,
    change: AttributeChange,
    options?: VersionOptions,
  ): MemoryObject | undefined {
    const object = this.get(name, options)
    if (object === undefined || object.isDeleteMarker) return undefined
    const changed = { ...object, attributes: changedAttributes(object.attributes, change) }
    this.#replace(name, object, changed)
    return changed
  }

  remove(name: ObjectName, { versionId, lock }: RemovalConditions = {}): Removal | undefined {
    const isVersioned = this.#versioningOf(name.bucket) !== undefined
    if (isVersioned && versionId === undefined) return removalOf(this.#add(name, marker, lock))
    const removed = this.get(name, { versionId })
    if (removed === undefined) return undefined
    assertUnlocked(removed.attributes, lock)
    this.#replace(name, removed)
    this.#usedBytes -= removed.size
    return isVersioned ? removalOf(removed) : {}
  }

  /** The metadata as the drive returns it. */
  metadataOf(bucket: string, object: MemoryObject): ObjectMetadata {
    const { versionId, ...plain } = metadataOf(object)
    const isVersioned = this.#versioningOf(bucket) !== undefined
    return isVersioned && versionId !== undefined ? { ...plain, versionId } : plain
  }

  /** @throws DriveError `full` when this many more bytes do not fit. */
  assertRoom(bytes: number): void {
    if (bytes <= this.freeBytes) return
    throw new DriveError('full', `The memory drive holds ${this.capacityBytes} bytes and is full`)
  }

  #history({ bucket, key }: ObjectName): readonly MemoryObject[] {
    return this.bucket(bucket).histories.get(key) ?? []
  }

  /** Adds the newest version. While versions are not enabled, it replaces the version `null`. */
  #add(
    name: ObjectName,
    content: Omit<NewMemoryObject, 'conditions'>,
    lock?: LockRules,
  ): MemoryObject {
    const versioning = this.#versioningOf(name.bucket)
    const [nowMs, size] = [this.now(), content.bytes.length]
    const { order, id } = this.#ids.next(nowMs)
    const versionId = versioning && isEnabled(versioning) ? id : nullVersionId
    const replaced = this.get(name, { versionId })
    if (replaced !== undefined) assertUnlocked(replaced.attributes, lock)
    const addedBytes = size - (replaced?.size ?? 0)
    this.assertRoom(addedBytes)
    const object = { ...content, size, modifiedAtMs: nowMs, versionId, order }
    const others = this.#history(name).filter((version) => version !== replaced)
    this.bucket(name.bucket).histories.set(name.key, [object, ...others])
    this.#usedBytes += addedBytes
    return object
  }

  /** Changes a version in its place, or removes it. */
  #replace(name: ObjectName, old: MemoryObject, ...changed: readonly MemoryObject[]): void {
    const versions = this.#history(name).flatMap((one) => (one === old ? changed : [one]))
    const { histories } = this.bucket(name.bucket)
    if (versions.length === 0) histories.delete(name.key)
    else histories.set(name.key, versions)
  }
}

function removalOf({ versionId, isDeleteMarker }: MemoryObject): Removal {
  return { versionId, ...(isDeleteMarker && { isDeleteMarker }) }
}

/** @param newer the next newer version, if any */
function versionEntry(key: string, version: MemoryObject, newer?: MemoryObject): VersionEntry {
  const { versionId, size, modifiedAtMs, attributes, isDeleteMarker = false } = version
  const entry = { kind: 'object', key, versionId, size, modifiedAtMs, isDeleteMarker } as const
  const replaced = newer && { replacedAtMs: newer.modifiedAtMs }
  return { ...entry, isLatest: newer === undefined, ...replaced, ...listedAttributes(attributes) }
}

/** Lets other work run, as every real drive does in every call. */
export async function turn(): Promise<void> {
  await setImmediate()
}

/** Collects the bytes of a draft or part. */
export class ByteCollector {
  readonly #objects: MemoryObjects
  readonly #chunks: Uint8Array[] = []
  #size = 0

  constructor(objects: MemoryObjects) {
    this.#objects = objects
  }

  async write(chunk: Uint8Array): Promise<void> {
    this.#objects.assertRoom(this.#size + chunk.length)
    // The caller may use the chunk again.
    this.#chunks.push(new Uint8Array(chunk))
    this.#size += chunk.length
    await turn()
  }

  /** Returns all bytes, and forgets them. */
  async take(): Promise<Uint8Array> {
    await turn()
    return Buffer.concat(this.#chunks.splice(0))
  }

  discard(): void {
    this.#chunks.length = 0
  }
}
