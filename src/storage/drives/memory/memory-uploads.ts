import { randomUUID } from 'node:crypto'
import type {
  CompleteOptions,
  ObjectMetadata,
  ObjectName,
  PartDraft,
  UploadDrive,
} from '../drive.ts'
import { DriveError } from '../drive-error.ts'
import { endingPart, lostBytes } from '../kit/uploads/upload-rules.ts'
import type { AppendOptions, BeginOptions, UploadAbilities } from '../upload-abilities.ts'
import { ByteCollector, type MemoryObjects, turn } from './memory-objects.ts'

interface MemoryUpload {
  /** The parts of an upload in any order, by place. */
  readonly places: Map<string, Uint8Array>
  /** The content of each state; the caller may use an older state again after a crash. */
  readonly contents: Content[]
  touchedAtMs: number
}

/** The first `offset` bytes of `before`, then `bytes`. */
interface Content {
  readonly before?: Content
  readonly offset: number
  readonly bytes: Uint8Array
}

/** The state of an upload in any order ends with it. */
const anyOrder = 'any'

/**
 * An upload is the list of its commits, or the places of its parts. A state is `uploadId:number of the commit`, or
 * `uploadId:any`.
 */
export class MemoryUploads implements UploadDrive {
  readonly #objects: MemoryObjects
  readonly #uploads = new Map<string, MemoryUpload>()
  readonly #published = new Set<string>()

  constructor(objects: MemoryObjects) {
    this.#objects = objects
  }

  get count(): number {
    return this.#uploads.size
  }

  async begin(uploadId: string, _: ObjectName, options: BeginOptions = {}): Promise<string> {
    await turn()
    const contents = [{ offset: 0, bytes: new Uint8Array() }]
    this.#uploads.set(uploadId, { contents, places: new Map(), touchedAtMs: this.#objects.now() })
    return options.anyOrder ? `${uploadId}:${anyOrder}` : stateOf(uploadId, 0)
  }

  async append(state: string, options: AppendOptions): Promise<PartDraft> {
    await turn()
    const { uploadId, upload, content } = this.#find(state)
    return this.#collect(upload, options.signal, (bytes) => {
      upload.contents.push({ before: content, offset: options.offset, bytes })
      return stateOf(uploadId, upload.contents.length - 1)
    })
  }

  async place(state: string): Promise<PartDraft> {
    await turn()
    const { upload } = this.#find(state)
    return this.#collect(upload, undefined, (bytes) => {
      const place = randomUUID()
      upload.places.set(place, bytes)
      return place
    })
  }

  async removePlace(state: string, place: string): Promise<void> {
    await turn()
    this.#uploads.get(parse(state).uploadId)?.places.delete(place)
  }

  abilities(state: string): UploadAbilities {
    const isAnyOrder = state.endsWith(`:${anyOrder}`)
    return { replaceLast: true, truncate: true, ...(isAnyOrder && { anyOrder: { slots: false } }) }
  }

  /** `offset` cuts off the part to replace. */
  replaceLast(state: string, options: AppendOptions): Promise<PartDraft> {
    return this.append(state, options)
  }

  async complete(state: string, options: CompleteOptions): Promise<ObjectMetadata | undefined> {
    await turn()
    const { target, attributes, conditions } = options
    const { uploadId } = parse(state)
    if (this.#published.has(uploadId)) {
      const object = this.#objects.completed(target, state)
      return object && this.#objects.metadataOf(target.bucket, object)
    }
    const bytes = this.#bytesOf(state, options)
    options.assertHeld?.()
    const object = this.#objects.put(target, { bytes, attributes, conditions, uploadState: state })
    this.#uploads.delete(uploadId)
    this.#published.add(uploadId)
    return this.#objects.metadataOf(target.bucket, object)
  }

  async isPublished(state: string): Promise<boolean> {
    await turn()
    return this.#published.has(parse(state).uploadId)
  }

  async abort(state: string): Promise<void> {
    await turn()
    const { uploadId } = parse(state)
    this.#uploads.delete(uploadId)
    this.#published.delete(uploadId)
  }

  async sweep(isKnown: (uploadId: string) => Promise<boolean>, olderThanMs: number): Promise<void> {
    for (const [uploadId, upload] of this.#uploads) {
      const isOld = this.#objects.now() - upload.touchedAtMs >= olderThanMs
      if (isOld && !(await isKnown(uploadId))) this.#uploads.delete(uploadId)
    }
  }

  #collect(
    upload: MemoryUpload,
    signal: AbortSignal | undefined,
    keep: (bytes: Uint8Array) => string,
  ): PartDraft {
    const collector = new ByteCollector(this.#objects)
    return endingPart({
      async write(chunk) {
        signal?.throwIfAborted()
        await collector.write(chunk)
      },
      commit: async () => {
        const kept = keep(await collector.take())
        upload.touchedAtMs = this.#objects.now()
        return kept
      },
      discard: async () => collector.discard(),
    })
  }

  #bytesOf(state: string, { size, placed }: CompleteOptions): Uint8Array {
    const { uploadId, upload, content } = this.#find(state)
    if (placed === undefined) {
      assertCommitted(uploadId, content, size)
      return bytesOf(content, size)
    }
    return Buffer.concat(
      placed.listed.map(({ place }) => {
        const bytes = upload.places.get(place)
        if (bytes === undefined) throw lostBytes()
        return bytes
      }),
    )
  }

  #find(state: string): { uploadId: string; upload: MemoryUpload; content: Content } {
    const { uploadId, index } = parse(state)
    const upload = this.#uploads.get(uploadId)
    const content = upload?.contents[index]
    if (upload !== undefined && content !== undefined) return { uploadId, upload, content }
    throw lostBytes()
  }
}

function stateOf(uploadId: string, index: number): string {
  return `${uploadId}:${index}`
}

function parse(state: string): { uploadId: string; index: number } {
  const end = state.lastIndexOf(':')
  const text = state.slice(end + 1)
  return { uploadId: state.slice(0, end), index: text === anyOrder ? 0 : Number(text) }
}

function assertCommitted(uploadId: string, content: Content, size: number): void {
  const committed = content.offset + content.bytes.length
  if (size <= committed) return
  const message = `Upload ${uploadId} has ${committed} bytes, not ${size}: start a new upload.`
  throw new DriveError('upload-gone', message)
}

function bytesOf(content: Content, size: number): Uint8Array {
  const bytes = new Uint8Array(size)
  let end = size
  for (let at: Content | undefined = content; at !== undefined; at = at.before) {
    if (at.offset < end) bytes.set(at.bytes.subarray(0, end - at.offset), at.offset)
    end = Math.min(end, at.offset)
  }
  return bytes
}
