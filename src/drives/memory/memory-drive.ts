/**
 * The reference drive: the shortest code that fulfils the contract of drive.ts, for tests and as an
 * example. Everything is lost when the process ends, and no files can be added by hand.
 */
import { changedSource } from '../copy-source.ts'
import type {
  CopyOptions,
  CopySource,
  Draft,
  DraftOptions,
  Drive,
  ObjectMetadata,
  ObjectName,
  OpenObject,
  RemovalConditions,
} from '../drive.ts'
import { endingDraft } from '../ending-draft.ts'
import type { EntryCursor, ListQuery } from '../listed-entry.ts'
import { MemoryCursor } from './memory-cursor.ts'
import {
  ByteCollector,
  type MemoryObject,
  MemoryObjects,
  type MemoryOptions,
  metadataOf,
  turn,
} from './memory-objects.ts'
import { MemoryUploads } from './memory-uploads.ts'

const readChunkBytes = 64 * 1024

export class MemoryDrive implements Drive {
  readonly kind = 'memory'
  readonly deletes = 'permanent'
  readonly uploads: MemoryUploads
  readonly #objects: MemoryObjects

  constructor(options: MemoryOptions = {}) {
    this.#objects = new MemoryObjects(options)
    this.uploads = new MemoryUploads(this.#objects)
  }

  async prepare(buckets: readonly string[]): Promise<void> {
    for (const bucket of buckets) this.#objects.addBucket(bucket)
  }

  async addBucket(bucket: string): Promise<void> {
    await turn()
    this.#objects.addBucket(bucket)
  }

  async removeBucket(bucket: string): Promise<boolean> {
    await turn()
    return this.#objects.removeBucket(bucket)
  }

  async check(): Promise<void> {
    await turn()
  }

  async bucketCreatedAtMs(bucket: string): Promise<number> {
    return this.#objects.bucket(bucket).createdAtMs
  }

  list(bucket: string, query: ListQuery): EntryCursor {
    return new MemoryCursor(this.#objects, bucket, query)
  }

  async head(bucket: string, key: string): Promise<ObjectMetadata | undefined> {
    await turn()
    const object = this.#objects.get({ bucket, key })
    return object && metadataOf(object)
  }

  async open(bucket: string, key: string): Promise<OpenObject | undefined> {
    await turn()
    const object = this.#objects.get({ bucket, key })
    return object && openObject(object)
  }

  async draft(bucket: string, key: string, options: DraftOptions): Promise<Draft> {
    await turn()
    this.#objects.bucket(bucket)
    this.#objects.assertRoom(options.size ?? 0)
    const collector = new ByteCollector(this.#objects, options.signal)
    return endingDraft({
      write: (chunk) => collector.write(chunk),
      publish: async (attributes, conditions) => {
        const bytes = await collector.take()
        return metadataOf(this.#objects.put({ bucket, key }, { bytes, attributes, conditions }))
      },
      discard: async () => collector.discard(),
    })
  }

  async copy(
    source: CopySource,
    target: ObjectName,
    options: CopyOptions,
  ): Promise<ObjectMetadata | undefined> {
    await turn()
    const object = this.#objects.get(source)
    if (object === undefined) return undefined
    if (object.attributes.etag !== source.etag) throw changedSource(source)
    const { attributes, conditions } = options
    return metadataOf(this.#objects.put(target, { bytes: object.bytes, attributes, conditions }))
  }

  async remove(bucket: string, key: string, conditions?: RemovalConditions): Promise<boolean> {
    await turn()
    return this.#objects.remove({ bucket, key }, conditions)
  }

  async quota(): Promise<{ freeBytes: number; totalBytes: number }> {
    return { freeBytes: this.#objects.freeBytes, totalBytes: this.#objects.capacityBytes }
  }

  async close(): Promise<void> {
    await turn()
  }
}

function openObject(object: MemoryObject): OpenObject {
  let isClosed = false
  return {
    ...metadataOf(object),
    async *read(start, end) {
      for (let at = start; at < end; at += readChunkBytes) {
        await turn()
        if (isClosed) return
        yield object.bytes.subarray(at, Math.min(at + readChunkBytes, end))
      }
    },
    close: async () => {
      isClosed = true
    },
  }
}
