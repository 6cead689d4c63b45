import { buffer } from 'node:stream/consumers'
import { DriveError } from '../../drive-error.ts'
import type { FileMetadata, GoogleFile } from '../api/google-file.ts'
import { maxSmallUploadBytes } from '../api/transfer-calls.ts'
import { refreshFile } from '../index/apply-changes.ts'
import type { OpenDrive } from '../open-drive.ts'
import { endSession } from '../uploads/object-sessions.ts'
import { sendBlocks } from '../uploads/session-stream.ts'
import { assertStored } from './file-metadata.ts'

/**
 * Restores the previous bytes of a file. When Google reports the MD5 of an upload, readers can
 * already see it, and damaged bytes must not stay. Never rejects with a DriveError, because the
 * caller already reports the damage.
 */
export async function restoreContent(
  drive: OpenDrive,
  before: GoogleFile,
  now: GoogleFile,
): Promise<void> {
  try {
    await sendAgain(drive, before, now)
  } catch (error) {
    if (!(error instanceof DriveError)) throw error
    drive.log.warn(
      { err: error, fileId: before.id },
      `${before.name} was damaged on its way to Google Drive and could not be restored: restore the previous version from its revision history there`,
    )
  }
  await refreshFile(drive, before.id)
}

async function sendAgain(drive: OpenDrive, before: GoogleFile, now: GoogleFile): Promise<void> {
  const { mimeType, size = 0, md5Checksum = '' } = before
  const gone = Object.keys(now.appProperties).map((name) => [name, null])
  const appProperties = { ...Object.fromEntries(gone), ...before.appProperties }
  const metadata = { mimeType, appProperties }
  const send =
    size > maxSmallUploadBytes
      ? sendLarge(drive, before, metadata)
      : sendSmall(drive, before, metadata)
  assertStored(await send, size, md5Checksum)
}

async function sendSmall(
  drive: OpenDrive,
  before: GoogleFile,
  metadata: FileMetadata,
): Promise<GoogleFile> {
  const bytes = before.size === 0 ? Buffer.alloc(0) : await buffer(formerBytes(drive, before))
  return await drive.api.uploadSmall({ id: before.id, metadata, bytes })
}

async function sendLarge(
  drive: OpenDrive,
  before: GoogleFile,
  metadata: FileMetadata,
): Promise<GoogleFile> {
  const { api, memory } = drive
  const { id, size = 0 } = before
  const url = await api.beginSession({ id, metadata })
  const options = { api, url, memory, position: 0, expectedEnd: size }
  const carry = await sendBlocks(formerBytes(drive, before), options)
  return await endSession(api, { url, fileId: id, isNew: false }, { carry, size })
}

/** The previous bytes, which Google returns only while their revision is pinned. */
async function* formerBytes(
  { api, log }: OpenDrive,
  { id, name, headRevisionId: revisionId = '' }: GoogleFile,
): AsyncGenerator<Uint8Array, void, undefined> {
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
