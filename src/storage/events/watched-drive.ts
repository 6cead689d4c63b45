import type { Drive, ObjectMetadata, UploadDrive } from '../drives/drive.ts'
import { bucketOfTrash } from '../drives/trash-bucket.ts'
import type { Removal } from '../drives/versions.ts'
import type { Outcome } from './event-message.ts'
import type { EventRecorder } from './event-recorder.ts'

/**
 * The drive, with an event stored for each change of an object. All changes of objects go through it.
 *
 * @param hasVersions whether a bucket has or had versions: then removals create delete markers
 */
export function watchedDrive(
  drive: Drive,
  recorder: Pick<EventRecorder, 'record' | 'watches'>,
  hasVersions: (bucket: string) => boolean,
): Drive {
  const changing: Partial<Drive> = {
    async draft(bucket, key, options) {
      const draft = await drive.draft(bucket, key, options)
      if (bucketOfTrash(bucket) !== undefined) return draft
      return overlay(draft, {
        async publish(attributes, conditions) {
          const { etag } = attributes
          const change = { bucket, key, etag, event: 'ObjectCreated:Put' } as const
          let isBegun = false
          const publish = () => {
            isBegun = true
            return draft.publish(attributes, conditions)
          }
          try {
            return await recorder.record(change, publish, writtenOf)
          } finally {
            // Publishing ends a draft, even if it fails.
            if (!isBegun) await draft.discard()
          }
        },
      })
    },
    async remove(bucket, key, conditions) {
      const change = { bucket, key, ...removalEvent(conditions?.versionId, hasVersions(bucket)) }
      const remove = () => drive.remove(bucket, key, conditions)
      // Objects in the trash have been removed before.
      if (bucketOfTrash(bucket) !== undefined) return await remove()
      return await recorder.record(change, remove, (removal) => removal && removedOf(removal))
    },
    // Absent here, so that objects are removed one by one: each object that existed needs its own event.
    removeAll: async () => undefined,
    // Each object needs its own events.
    async moveFolder(from, to, options) {
      if ([from, to].some(({ bucket }) => recorder.watches(bucket))) return undefined
      return await drive.moveFolder?.(from, to, options)
    },
    uploads: watchedUploads(drive.uploads, recorder),
  }
  const { copy } = drive
  if (copy === undefined) return overlay(drive, changing)
  return overlay(drive, {
    ...changing,
    async copy(source, target, options) {
      const { etag } = options.attributes
      const change = { ...target, etag, event: 'ObjectCreated:Copy' } as const
      const make = () => copy.call(drive, source, target, options)
      if (bucketOfTrash(target.bucket) !== undefined) return await make()
      return await recorder.record(change, make, (made) => made && writtenOf(made))
    },
  })
}

function watchedUploads(
  uploads: UploadDrive,
  recorder: Pick<EventRecorder, 'record'>,
): UploadDrive {
  return overlay(uploads, {
    async complete(state, options) {
      const { target, size, attributes } = options
      const { etag } = attributes
      const event = 'ObjectCreated:CompleteMultipartUpload'
      const change = { ...target, etag, size, event } as const
      const complete = () => uploads.complete(state, options)
      // Undefined: the object was published, and has been overwritten since.
      return await recorder.record(change, complete, (made) =>
        made === undefined ? { etag, size } : writtenOf(made),
      )
    },
  })
}

function writtenOf({ size, attributes: { etag }, versionId }: ObjectMetadata): Outcome {
  return { size, etag, ...(versionId !== undefined && { versionId }) }
}

/** A version that is removed is known before, so that its removal is found after a crash. */
function removalEvent(versionId: string | undefined, isVersioned: boolean) {
  if (!isVersioned) return { event: 'ObjectRemoved:Delete' } as const
  if (versionId === undefined) return { event: 'ObjectRemoved:DeleteMarkerCreated' } as const
  return { event: 'ObjectRemoved:Delete', versionId } as const
}

function removedOf({ versionId }: Removal): Outcome {
  return versionId === undefined ? {} : { versionId }
}

/** The object with some members replaced. Methods run on the object itself. */
function overlay<Target extends object>(target: Target, members: Partial<Target>): Target {
  return new Proxy(target, {
    get(_, name) {
      if (Object.hasOwn(members, name)) return Reflect.get(members, name)
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      return (...given: unknown[]): unknown => Reflect.apply(value, target, given)
    },
  })
}
