import { setImmediate } from 'node:timers/promises'
import type { AttributeChange, Attributes } from '../attributes.ts'
import type { ObjectMetadata, ObjectName, WriteConditions } from '../drive.ts'
import { DriveError, notEmpty } from '../drive-error.ts'
import { listedAttributes, type ObjectEntry } from '../listed-entry.ts'
import { changedAttributes } from '../object-lock.ts'
import { assertConditions } from '../write-conditions.ts'

/** One version of an object. Never changes. */
export interface MemoryObject extends ObjectMetadata {
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
  /** The limit for all objects together. @default 1 GiB */
  readonly capacityBytes?: number
  /** Milliseconds since the epoch. @default Date.now */
  readonly now?: () => number
}

interface MemoryBucket {
  readonly createdAtMs: number
  readonly objects: Map<string, MemoryObject>
}

/** The buckets and their objects. Every change is made in one turn of the event loop, so it is atomic. */
export class MemoryObjects {
  readonly capacityBytes: number
  readonly now: () => number
  readonly #buckets = new Map<string, MemoryBucket>()
  #usedBytes = 0

  constructor(options: MemoryOptions) {
    this.capacityBytes = options.capacityBytes ?? 1024 ** 3
    this.now = options.now ?? Date.now
  }

  get freeBytes(): number {
    return this.capacityBytes - this.#usedBytes
  }

  addBucket(bucket: string): void {
    if (this.#buckets.has(bucket)) return
    this.#buckets.set(bucket, { createdAtMs: this.now(), objects: new Map() })
  }

  /** @throws DriveError `not-empty` */
  removeBucket(name: string): boolean {
    const objects = this.#buckets.get(name)?.objects
    if (objects !== undefined && objects.size > 0) throw notEmpty(name)
    return this.#buckets.delete(name)
  }

  /** @throws DriveError `no-bucket` for a bucket that was not prepared. */
  bucket(name: string): MemoryBucket {
    const bucket = this.#buckets.get(name)
    if (bucket !== undefined) return bucket
    throw new DriveError('no-bucket', `The drive has no bucket ${name}: prepare creates buckets`)
  }

  get(name: ObjectName): MemoryObject | undefined {
    return this.bucket(name.bucket).objects.get(name.key)
  }

  entries(bucket: string): ObjectEntry[] {
    return [...this.bucket(bucket).objects].map(([key, { size, modifiedAtMs, attributes }]) => {
      return { kind: 'object', key, size, modifiedAtMs, ...listedAttributes(attributes) }
    })
  }

  put(name: ObjectName, { conditions, ...content }: NewMemoryObject): MemoryObject {
    const old = this.get(name)
    assertConditions(name, old?.attributes.etag, conditions)
    const size = content.bytes.length
    this.assertRoom(size - (old?.size ?? 0))
    const object = { ...content, size, modifiedAtMs: this.now() }
    this.bucket(name.bucket).objects.set(name.key, object)
    this.#usedBytes += size - (old?.size ?? 0)
    return object
  }

  setAttributes(name: ObjectName, change: AttributeChange): MemoryObject | undefined {
    const object = this.get(name)
    if (object === undefined) return undefined
    const changed = { ...object, attributes: changedAttributes(object.attributes, change) }
    this.bucket(name.bucket).objects.set(name.key, changed)
    return changed
  }

  remove(name: ObjectName): boolean {
    this.#usedBytes -= this.get(name)?.size ?? 0
    return this.bucket(name.bucket).objects.delete(name.key)
  }

  /** @throws DriveError `full` when this many more bytes do not fit. */
  assertRoom(bytes: number): void {
    if (bytes <= this.freeBytes) return
    throw new DriveError('full', `The memory drive holds ${this.capacityBytes} bytes and is full`)
  }
}

/** Lets other work run, as every real drive does in every call. */
export async function turn(): Promise<void> {
  await setImmediate()
}

export function metadataOf({ size, modifiedAtMs, attributes }: MemoryObject): ObjectMetadata {
  return { size, modifiedAtMs, attributes }
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
