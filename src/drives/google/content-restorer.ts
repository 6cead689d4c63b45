import { DriveError } from '../drive.ts'
import type { GoogleApi } from './api/google-api.ts'
import type { FileMetadata, GoogleFile } from './api/google-file.ts'
import { Blocks } from './blocks.ts'
import type { IndexNews } from './index-news.ts'
import type { IndexLog } from './object-index.ts'
import type { SendMemory } from './send-memory.ts'
import { endSession } from './session-end.ts'
import { SessionStream } from './session-stream.ts'

export interface ContentRestorerOptions {
  readonly api: GoogleApi
  readonly news: IndexNews
  readonly memory: SendMemory
  readonly log: IndexLog
}

/** Up to here bytes are sent in one call. */
const smallBytes = 4 * 1024 * 1024

/**
 * Gives a file its former bytes back. Google tells the MD5 of what it was sent only when readers see
 * it already; what came damaged must not stay.
 */
export class ContentRestorer {
  readonly #options: ContentRestorerOptions

  constructor(options: ContentRestorerOptions) {
    this.#options = options
  }

  /** Never rejects with a DriveError: what is wrong is told already. */
  async restore(before: GoogleFile, now: GoogleFile): Promise<void> {
    const { news, log } = this.#options
    try {
      await this.#sendAgain(before, now)
    } catch (error) {
      if (!(error instanceof DriveError)) throw error
      log.warn(
        { err: error, fileId: before.id },
        `${before.name} arrived damaged on Google Drive and could not be restored: its history there has the former version`,
      )
    }
    await news.refresh(before.id)
  }

  async #sendAgain(before: GoogleFile, now: GoogleFile): Promise<void> {
    const { api } = this.#options
    const { id, mimeType, size = 0, headRevisionId: revisionId } = before
    const gone = Object.keys(now.appProperties).map((name) => [name, null])
    const appProperties = { ...Object.fromEntries(gone), ...before.appProperties }
    const metadata = { mimeType, appProperties }
    if (size > smallBytes) return await this.#sendLarge(before, metadata)
    const chunks: Uint8Array[] = []
    if (size > 0) {
      const { body } = await api.download(id, { revisionId })
      for await (const chunk of body) chunks.push(Buffer.from(chunk))
    }
    await api.uploadSmall({ id, metadata, bytes: Buffer.concat(chunks) })
  }

  async #sendLarge(
    { id, size = 0, headRevisionId }: GoogleFile,
    metadata: FileMetadata,
  ): Promise<void> {
    const { api, memory } = this.#options
    const url = await api.beginSession({ id, metadata })
    const stream = new SessionStream({ api, url, memory, position: 0, expectedEnd: size })
    const blocks = new Blocks(memory.blocks)
    try {
      const { body } = await api.download(id, { revisionId: headRevisionId })
      for await (const chunk of body) {
        for (const block of blocks.add(chunk)) await stream.push(block)
      }
      await stream.flush()
    } finally {
      await stream.stop()
    }
    await endSession(api, { url, fileId: id, isNew: false }, { carry: blocks.rest, size })
  }
}
