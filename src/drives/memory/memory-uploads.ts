import {
  type AppendOptions,
  type CompleteOptions,
  DriveError,
  type ObjectMetadata,
  type PartDraft,
  type UploadAbilities,
  type UploadDrive,
} from '../drive.ts'
import { endingPart } from '../ending-draft.ts'
import { ByteCollector, type MemoryObjects, metadataOf, turn } from './memory-objects.ts'

interface MemoryUpload {
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

/** An upload is the list of its commits. A state is `uploadId:number of the commit`. */
export class MemoryUploads implements UploadDrive {
  readonly #objects: MemoryObjects
  readonly #uploads = new Map<string, MemoryUpload>()
  readonly #published = new Set<string>()

  constructor(objects: MemoryObjects) {
    this.#objects = objects
  }

  /** The number of uploads. */
  get count(): number {
    return this.#uploads.size
  }

  async begin(uploadId: string): Promise<string> {
    await turn()
    const contents = [{ offset: 0, bytes: new Uint8Array() }]
    this.#uploads.set(uploadId, { contents, touchedAtMs: this.#objects.now() })
    return stateOf(uploadId, 0)
  }

  async append(state: string, options: AppendOptions): Promise<PartDraft> {
    await turn()
    const { uploadId, upload, content } = this.#find(state)
    const collector = new ByteCollector(this.#objects)
    return endingPart({
      async write(chunk) {
        options.signal?.throwIfAborted()
        await collector.write(chunk)
      },
      commit: async () => {
        const bytes = await collector.take()
        upload.contents.push({ before: content, offset: options.offset, bytes })
        upload.touchedAtMs = this.#objects.now()
        return stateOf(uploadId, upload.contents.length - 1)
      },
      discard: async () => collector.discard(),
    })
  }

  abilities(): UploadAbilities {
    return { replaceLast: true, truncate: true }
  }

  /** `offset` cuts off the part to replace. */
  replaceLast(state: string, options: AppendOptions): Promise<PartDraft> {
    return this.append(state, options)
  }

  async complete(state: string, options: CompleteOptions): Promise<ObjectMetadata | undefined> {
    await turn()
    const { target, size, attributes, conditions } = options
    const { uploadId } = parse(state)
    if (this.#published.has(uploadId)) {
      const object = this.#objects.get(target)
      return object?.uploadState === state ? metadataOf(object) : undefined
    }
    const { content } = this.#find(state)
    assertCommitted(uploadId, content, size)
    const bytes = bytesOf(content, size)
    options.assertHeld?.()
    const object = this.#objects.put(target, { bytes, attributes, conditions, uploadState: state })
    this.#uploads.delete(uploadId)
    this.#published.add(uploadId)
    return metadataOf(object)
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

  #find(state: string): { uploadId: string; upload: MemoryUpload; content: Content } {
    const { uploadId, index } = parse(state)
    const upload = this.#uploads.get(uploadId)
    const content = upload?.contents[index]
    if (upload !== undefined && content !== undefined) return { uploadId, upload, content }
    throw new DriveError(
      'upload-gone',
      `The bytes of upload ${uploadId} are lost: start a new upload.`,
    )
  }
}

function stateOf(uploadId: string, index: number): string {
  return `${uploadId}:${index}`
}

function parse(state: string): { uploadId: string; index: number } {
  const end = state.lastIndexOf(':')
  return { uploadId: state.slice(0, end), index: Number(state.slice(end + 1)) }
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
