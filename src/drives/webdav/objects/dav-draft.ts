import type { Attributes } from '../../attributes.ts'
import type { Draft, DraftOptions, ObjectMetadata, WriteConditions } from '../../drive.ts'
import { md5OfEtag } from '../client/arrivals.ts'
import type { DavPath } from '../client/dav-path.ts'
import type { DavContext } from '../dav-context.ts'
import { DavFileWriter } from './dav-file-writer.ts'
import type { DavPublisher } from './dav-publisher.ts'
import { UnconfirmedMove } from './file-mover.ts'
import type { DavObjectPath } from './object-path.ts'
import { requireArrived } from './written-file.ts'

export interface DavDraftParts extends DavContext {
  readonly publisher: DavPublisher
}

/**
 * A new object: a file in the drive's own folder that is moved into place when it is complete. Wrap it
 * with `endingDraft`.
 */
export class DavDraft implements Draft {
  readonly #parts: DavDraftParts
  readonly #object: DavObjectPath
  readonly #path: DavPath
  readonly #writer: DavFileWriter
  #isUnconfirmed = false

  constructor(parts: DavDraftParts, object: DavObjectPath, { size, signal }: DraftOptions) {
    this.#parts = parts
    this.#object = object
    this.#path = parts.own.newPath()
    const { server, own, spool } = parts
    this.#writer = new DavFileWriter({ server, own, path: this.#path, size, signal, spool })
  }

  async write(chunk: Uint8Array): Promise<void> {
    await this.#writer.write(chunk)
  }

  async publish(attributes: Attributes, conditions?: WriteConditions): Promise<ObjectMetadata> {
    const { server, publisher } = this.#parts
    try {
      await this.#writer.finish()
      const [object, path] = [this.#object, this.#path]
      const md5 = md5OfEtag(attributes.etag)
      const entry = await requireArrived(server, path, { size: this.#writer.size, md5 })
      return await publisher.publish({ object, path, entry, attributes, conditions })
    } catch (error) {
      this.#isUnconfirmed = error instanceof UnconfirmedMove
      throw error
    }
  }

  async discard(): Promise<void> {
    if (this.#isUnconfirmed) return
    await this.#writer.abort()
    if (this.#writer.hasSent) await this.#parts.own.discard(this.#path)
  }
}
