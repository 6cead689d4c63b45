import { Limiter } from '../../../../platform/process/limiter.ts'
import type { Draft, DraftOptions, Drive, ObjectName, OpenObject } from '../../drive.ts'
import type { ObjectEntry } from '../../listed-entry.ts'
import { assertConditions, assertRemovalConditions, versionOf } from '../../write-conditions.ts'
import { requireLegalKey } from '../names/key-path.ts'
import { metadataOf } from '../open-objects.ts'
import { endingDraft } from '../uploads/upload-rules.ts'
import type { Alone, DraftPublisher, DriveCore } from './drive-core.ts'
import { type Ranked, SortedCursor } from './sorted-cursor.ts'
import { UploadsByDraft } from './uploads-by-draft.ts'

/**
 * A drive over a core: listings are sorted, conditions are checked while nobody else writes, and uploads are
 * collected in a staging directory and then written like any other object. docs/writing-a-drive.md explains it.
 */
export function defineDrive(core: DriveCore): Drive {
  const alone = oneAtATime()
  const publisher = publisherOf(core, alone)
  const { uploads, setAttributes } = core
  return {
    ...core,
    deletes: core.deletes ?? 'permanent',
    uploads: 'drive' in uploads ? new UploadsByDraft(uploads, publisher) : uploads,
    async prepare(buckets) {
      for (const bucket of buckets) await alone(() => core.addBucket(bucket))
    },
    addBucket: (bucket) => alone(() => core.addBucket(bucket)),
    removeBucket: (bucket) => alone(() => core.removeBucket(bucket)),
    check: async (access) => core.check?.(access),
    list: (bucket, query) =>
      new SortedCursor(async () => (await core.objects(bucket)).map(unranked), query),
    async head(bucket, key, options) {
      const found = await publisher.head({ bucket, key }, options)
      return found && metadataOf(found)
    },
    async open(bucket, key, options) {
      const object = await core.open(bucket, key, options)
      return object && closableObject(object)
    },
    draft: (bucket, key, options) => startDraft(publisher, { bucket, key }, options),
    ...(setAttributes && {
      setAttributes: (bucket, key, change, options) =>
        alone(() => setAttributes(bucket, key, change, options)),
    }),
    remove: (bucket, key, conditions) =>
      alone(async () => {
        const name = { bucket, key }
        const current = conditions && (await publisher.head(name))
        const isOther = conditions?.versionId !== undefined
        const removed = isOther ? await publisher.head(name, conditions) : current
        assertRemovalConditions(name, versionOf(current), conditions, versionOf(removed))
        return await core.remove(bucket, key, conditions)
      }),
    async close() {
      await core.close?.()
      if ('drive' in uploads) await uploads.drive.close()
    },
  }
}

function oneAtATime(): Alone {
  const limiter = new Limiter(1)
  const never = new AbortController().signal
  return (work) => limiter.run(never, work)
}

function publisherOf(core: DriveCore, alone: Alone): DraftPublisher {
  const publisher: DraftPublisher = {
    draft: ({ bucket, key }, options) => core.draft(bucket, key, options),
    publish: (draft, name, { attributes, conditions, uploadId, before }) =>
      alone(async () => {
        const isAsked = conditions !== undefined || before !== undefined
        const current = isAsked ? await publisher.head(name) : undefined
        assertConditions(name, current?.attributes.etag, conditions)
        await before?.(current)
        return metadataOf(await draft.publish(attributes, uploadId))
      }),
    async head({ bucket, key }, options) {
      const object = await core.open(bucket, key, options)
      await object?.close()
      return object
    },
  }
  return publisher
}

async function startDraft(
  publisher: DraftPublisher,
  name: ObjectName,
  options: DraftOptions,
): Promise<Draft> {
  requireLegalKey(name.key)
  const draft = await publisher.draft(name, options)
  return endingDraft({
    async write(chunk) {
      options.signal?.throwIfAborted()
      await draft.write(chunk)
    },
    async publish(attributes, conditions) {
      const metadata = await publisher.publish(draft, name, { attributes, conditions })
      await draft.discard()
      return metadata
    },
    discard: () => draft.discard(),
  })
}

/** The object, with reads that end when it is closed. */
function closableObject(object: OpenObject): OpenObject {
  let isClosed = false
  return {
    ...metadataOf(object),
    async *read(start, end) {
      for await (const chunk of object.read(start, end)) {
        if (isClosed) return
        yield chunk
      }
    },
    async close() {
      isClosed = true
      await object.close()
    },
  }
}

function unranked(entry: ObjectEntry): Ranked<ObjectEntry> {
  return { entry, rank: 0 }
}
