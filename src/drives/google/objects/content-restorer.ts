import { buffer } from 'node:stream/consumers'
import type { DriveLog } from '../../cloud/drive-log.ts'
import { DriveError } from '../../drive.ts'
import type { GoogleApi } from '../api/google-api.ts'
import type { FileMetadata, GoogleFile } from '../api/google-file.ts'
import { maxSmallUploadBytes } from '../api/transfer-calls.ts'
import type { ChangeApplier } from '../index/change-applier.ts'
import { endSession } from '../uploads/object-sessions.ts'
import type { SendMemory } from '../uploads/send-memory.ts'
import { sendBlocks } from '../uploads/session-stream.ts'
import { assertStored } from './sent-file.ts'

export interface ContentRestorerOptions {
  readonly api: GoogleApi
  readonly applier: ChangeApplier
  readonly memory: SendMemory
  readonly log: DriveLog
}

/**
 * Restores the previous bytes of a file. When Google reports the MD5 of an upload, readers can
 * already see it, and damaged bytes must not stay.
 */
export class ContentRestorer {
  readonly #options: ContentRestorerOptions

  constructor(options: ContentRestorerOptions) {
    this.#options = options
  }

  /** Never rejects with a DriveError, because the caller already reports the damage. */
  async restore(before: GoogleFile, now: GoogleFile): Promise<void> {
    const { applier, log } = this.#options
    try {
      await this.#sendAgain(before, now)
    } catch (error) {
      if (!(error instanceof DriveError)) throw error
      log.warn(
        { err: error, fileId: before.id },
        `${before.name} was damaged on its way to Google Drive and could not be restored: restore the previous version from its revision history there`,
      )
    }
    await applier.refresh(before.id)
  }

  async #sendAgain(before: GoogleFile, now: GoogleFile): Promise<void> {
    const { mimeType, size = 0, md5Checksum = '' } = before
    const gone = Object.keys(now.appProperties).map((name) => [name, null])
    const appProperties = { ...Object.fromEntries(gone), ...before.appProperties }
    const metadata = { mimeType, appProperties }
    const send =
      size > maxSmallUploadBytes
        ? this.#sendLarge(before, metadata)
        : this.#sendSmall(before, metadata)
    assertStored(await send, size, md5Checksum)
  }

  async #sendSmall(before: GoogleFile, metadata: FileMetadata): Promise<GoogleFile> {
    const bytes = before.size === 0 ? Buffer.alloc(0) : await buffer(this.#formerBytes(before))
    return await this.#options.api.uploadSmall({ id: before.id, metadata, bytes })
  }

  async #sendLarge(before: GoogleFile, metadata: FileMetadata): Promise<GoogleFile> {
    const { api, memory } = this.#options
    const { id, size = 0 } = before
    const url = await api.beginSession({ id, metadata })
    const options = { api, url, memory, position: 0, expectedEnd: size }
    const carry = await sendBlocks(this.#formerBytes(before), options)
    return await endSession(api, { url, fileId: id, isNew: false }, { carry, size })
  }

  /** The previous bytes, which Google returns only while their revision is pinned. */
  async *#formerBytes({
    id,
    name,
    headRevisionId: revisionId = '',
  }: GoogleFile): AsyncGenerator<Uint8Array, void, undefined> {
    const { api, log } = this.#options
    await api.keepRevision(id, { revisionId, isKept: true })
    try {
      const { body } = await api.download(id, { revisionId })
      yield* body
    } finally {
      await api.keepRevision(id, { revisionId, isKept: false }).catch((error: unknown) => {
        const message = `a previous revision of ${name} on Google Drive stays marked "keep forever"`
        log.warn({ err: error, fileId: id, revisionId }, message)
      })
    }
  }
}
