import type { Drive, ObjectMetadata, OpenObject } from '../drive.ts'
import { changedSource } from '../drive-error.ts'
import { defineDrive } from '../kit/define/define-drive.ts'
import { SortedCursor } from '../kit/define/sorted-cursor.ts'
import { nullVersionId } from '../versions.ts'
import {
  ByteCollector,
  isMemoryVersionId,
  type MemoryObject,
  MemoryObjects,
  type MemoryOptions,
  turn,
} from './memory-objects.ts'
import { MemoryUploads } from './memory-uploads.ts'

const readChunkBytes = 64 * 1024

export interface MemoryDrive extends Drive {
  readonly uploads: MemoryUploads
}

/**
 * A drive for tests. Everything is lost when the process ends, and no files can be added by hand. Its uploads are
 * in memory as well, so it has its own.
 */
export function openMemoryDrive(options: MemoryOptions = {}): MemoryDrive {
  const objects = new MemoryObjects(options)
  const uploads = new MemoryUploads(objects)
  const drive = defineDrive({
    ...{ kind: 'memory', uploads, trashes: () => true },
    async addBucket(bucket) {
      objects.addBucket(bucket)
    },
    removeBucket: async (bucket) => objects.removeBucket(bucket),
    bucketCreatedAtMs: async (bucket) => objects.bucket(bucket).createdAtMs,
    async objects(bucket) {
      await turn()
      return objects.entries(bucket)
    },
    async open(bucket, key, options) {
      await turn()
      const object = objects.get({ bucket, key }, options)
      return object && openObject(object, objects.metadataOf(bucket, object))
    },
    async draft(bucket, key, { size = 0 }) {
      await turn()
      objects.bucket(bucket)
      objects.assertRoom(size)
      const collector = new ByteCollector(objects)
      return {
        write: (chunk) => collector.write(chunk),
        async publish(attributes) {
          const bytes = await collector.take()
          return objects.metadataOf(bucket, objects.put({ bucket, key }, { bytes, attributes }))
        },
        discard: async () => collector.discard(),
      }
    },
    async copy(source, target, { attributes, conditions }) {
      await turn()
      const object = objects.get(source, source)
      if (object === undefined) return undefined
      if (object.attributes.etag !== source.etag) throw changedSource(source)
      const { bytes } = object
      return objects.metadataOf(
        target.bucket,
        objects.put(target, { bytes, attributes, conditions }),
      )
    },
    async setAttributes(bucket, key, change, options) {
      await turn()
      const object = objects.setAttributes({ bucket, key }, change, options)
      return object && objects.metadataOf(bucket, object)
    },
    remove: async (bucket, key, options) => objects.remove({ bucket, key }, options),
    isVersionId: (_, versionId) => versionId === nullVersionId || isMemoryVersionId(versionId),
    hidingMarker: async (bucket, key) => objects.hidingMarker({ bucket, key }),
    listVersions(bucket, query) {
      const { after, afterVersionId } = query
      const rankOf = () => objects.rankOf({ bucket, key: after }, afterVersionId ?? '')
      const versions = async () => objects.versions(bucket)
      return new SortedCursor(versions, query, afterVersionId === undefined ? undefined : rankOf)
    },
    quota: async () => ({ freeBytes: objects.freeBytes, totalBytes: objects.capacityBytes }),
  })
  return { ...drive, uploads }
}

function openObject({ bytes }: MemoryObject, metadata: ObjectMetadata): OpenObject {
  return {
    ...metadata,
    async *read(start, end) {
      for (let at = start; at < end; at += readChunkBytes) {
        await turn()
        yield bytes.subarray(at, Math.min(at + readChunkBytes, end))
      }
    },
    close: () => Promise.resolve(),
  }
}
