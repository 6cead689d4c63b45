import { Limiter } from '../../../../platform/process/limiter.ts'
import { compareKeys } from '../../../../platform/text/key-order.ts'
import type {
  Draft,
  DraftOptions,
  Drive,
  ObjectMetadata,
  ObjectName,
  OpenObject,
} from '../../drive.ts'
import type { Entry, EntryCursor, ListQuery, ObjectEntry } from '../../listed-entry.ts'
import { plainRemoval } from '../../versions.ts'
import { assertConditions, assertRemovalConditions, versionOf } from '../../write-conditions.ts'
import { requireLegalKey } from '../names/key-path.ts'
import { endingDraft } from '../uploads/upload-rules.ts'
import type { Alone, DraftPublisher, DriveCore } from './drive-core.ts'
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
    list: (bucket, query) => new SortedCursor(() => core.objects(bucket), query),
    async head(bucket, key) {
      const found = await publisher.head({ bucket, key })
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
        const current = conditions && (await publisher.head({ bucket, key }))
        assertRemovalConditions({ bucket, key }, versionOf(current), conditions)
        return plainRemoval(await core.remove(bucket, key))
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
    async head({ bucket, key }) {
      const object = await core.open(bucket, key)
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

function metadataOf({ size, modifiedAtMs, attributes }: ObjectMetadata): ObjectMetadata {
  return { size, modifiedAtMs, attributes }
}

/** Sorts all objects of the bucket for every page: slow, but short and correct. */
class SortedCursor implements EntryCursor {
  readonly #objects: () => Promise<readonly ObjectEntry[]>
  readonly #query: ListQuery
  /** No entry below this. */
  #from = ''
  /** The key of the last entry returned. */
  #last = ''
  #hasEnded = false

  /** @param objects all objects of the bucket, in any order */
  constructor(objects: () => Promise<readonly ObjectEntry[]>, query: ListQuery) {
    this.#objects = objects
    this.#query = query
  }

  async next(limit: number): Promise<Entry[]> {
    const entries: Entry[] = []
    if (this.#hasEnded) return entries
    const objects = await this.#objects()
    const wanted = objects.filter(({ key }) => this.#isWanted(key))
    for (const object of wanted.sort((a, b) => compareKeys(a.key, b.key))) {
      if (entries.length === limit) break
      const entry = this.#entryOf(object)
      if (!this.#isAhead(entry.key)) continue
      this.#last = entry.key
      entries.push(entry)
    }
    this.#hasEnded = entries.length === 0
    return entries
  }

  seek(key: string): void {
    if (compareKeys(key, this.#from) > 0) this.#from = key
  }

  #isWanted(key: string): boolean {
    return key.startsWith(this.#query.prefix) && compareKeys(key, this.#query.after) > 0
  }

  #isAhead(entryKey: string): boolean {
    return (
      entryKey !== this.#query.after &&
      compareKeys(entryKey, this.#from) >= 0 &&
      compareKeys(entryKey, this.#last) > 0
    )
  }

  #entryOf(object: ObjectEntry): Entry {
    const { prefix, delimiter } = this.#query
    const end = delimiter === undefined ? -1 : object.key.indexOf(delimiter, prefix.length)
    return end < 0 ? object : { kind: 'folder', key: object.key.slice(0, end + 1) }
  }
}
