import { createHash } from 'node:crypto'
import type { Attributes } from '../../attributes.ts'
import type {
  Draft,
  DraftOptions,
  ObjectMetadata,
  ObjectName,
  WriteConditions,
} from '../../drive.ts'
import { DriveError } from '../../drive-error.ts'
import { endingDraft } from '../../kit/uploads/upload-rules.ts'
import { maxSmallUploadBytes } from '../api/transfer-calls.ts'
import type { OpenDrive } from '../open-drive.ts'
import { beginSession, discardSession, type ObjectSession } from '../uploads/object-sessions.ts'
import { Blocks } from '../uploads/send-memory.ts'
import { SessionStream } from '../uploads/session-stream.ts'
import { publishBytes, publishSent } from './object-publisher.ts'
import type { NewGoogleObject } from './object-writer.ts'

/** A session in progress. */
interface Sending {
  readonly session: ObjectSession
  readonly stream: SessionStream
}

export function googleDraft(drive: OpenDrive, name: ObjectName, options: DraftOptions): Draft {
  return endingDraft(new GoogleDraft(drive, name, options))
}

/** An object being written: buffered while it is small, otherwise sent to Google as it arrives. */
class GoogleDraft implements Draft {
  readonly #drive: OpenDrive
  readonly #name: ObjectName
  readonly #options: DraftOptions
  readonly #digest = createHash('md5')
  readonly #blocks: Blocks
  /** Blocks that are held until it is known whether the object is small. */
  #buffered: Buffer<ArrayBuffer>[] = []
  #reserved = 0
  #size = 0
  #sending: Sending | undefined

  constructor(drive: OpenDrive, name: ObjectName, options: DraftOptions) {
    this.#drive = drive
    this.#blocks = new Blocks(drive.memory.blocks)
    this.#name = name
    this.#options = options
  }

  async write(chunk: Uint8Array): Promise<void> {
    this.#options.signal?.throwIfAborted()
    const isBuffered = this.#sending === undefined && this.#mayBuffer(chunk.length)
    this.#digest.update(chunk)
    this.#size += chunk.length
    for (const block of this.#blocks.add(chunk)) {
      if (isBuffered) this.#buffered.push(block)
      else await sendable(this.#push(block))
    }
  }

  async publish(attributes: Attributes, conditions?: WriteConditions): Promise<ObjectMetadata> {
    this.#options.signal?.throwIfAborted()
    const object = { attributes, conditions }
    try {
      if (this.#sending !== undefined) {
        return await sendable(this.#publishSent(this.#sending, object))
      }
      const bytes = Buffer.concat([...this.#buffered, this.#blocks.rest])
      return published(await publishBytes(this.#drive, this.#name, bytes, object))
    } finally {
      this.#letGo()
    }
  }

  async discard(): Promise<void> {
    this.#letGo()
    if (this.#sending === undefined) return
    await this.#sending.stream.stop()
    await discardSession(this.#drive, this.#sending.session, this.#name)
  }

  async #publishSent(
    { session, stream }: Sending,
    object: NewGoogleObject,
  ): Promise<ObjectMetadata> {
    await stream.flush()
    await stream.stop()
    const md5 = this.#digest.digest('hex')
    const sent = { session, carry: this.#blocks.rest, size: this.#size, md5 }
    const metadata = published(await publishSent(this.#drive, this.#name, sent, object))
    this.#sending = undefined
    return metadata
  }

  /** Whether the object may still be small, and there is memory to buffer it. */
  #mayBuffer(bytes: number): boolean {
    const size = Math.max(this.#size + bytes, this.#options.size ?? 0)
    if (size > maxSmallUploadBytes || !this.#drive.memory.take(bytes)) return false
    this.#reserved += bytes
    return true
  }

  async #send(): Promise<Sending> {
    if (this.#sending !== undefined) return this.#sending
    const { api, memory, space } = this.#drive
    const { signal, size } = this.#options
    await space.assert(size ?? this.#size)
    const session = await beginSession(this.#drive, this.#name, signal)
    const { url } = session
    const stream = new SessionStream({ api, url, memory, signal, position: 0, expectedEnd: size })
    this.#sending = { session, stream }
    for (const block of this.#buffered) await stream.push(block)
    this.#letGo()
    return this.#sending
  }

  async #push(block: Buffer<ArrayBuffer>): Promise<void> {
    const { stream } = await this.#send()
    await stream.push(block)
  }

  #letGo(): void {
    this.#drive.memory.give(this.#reserved)
    this.#reserved = 0
    this.#buffered = []
  }
}

/** Converts `upload-gone` to `changed`, because a draft is not an upload and can be sent again. */
async function sendable<R>(work: Promise<R>): Promise<R> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof DriveError && error.kind === 'upload-gone')) throw error
    throw new DriveError('changed', error.message, { cause: error })
  }
}

/** Only uploads may have been published before. */
function published(metadata: ObjectMetadata | undefined): ObjectMetadata {
  if (metadata === undefined) throw new Error('a draft can be published only once')
  return metadata
}
