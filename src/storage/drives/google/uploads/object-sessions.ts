import type { ObjectName } from '../../drive.ts'
import { DriveError } from '../../drive-error.ts'
import type { GoogleApi } from '../api/google-api.ts'
import { GoogleNotFound } from '../api/google-failure.ts'
import type { GoogleFile } from '../api/google-file.ts'
import { mimeTypeOf } from '../objects/file-metadata.ts'
import type { OpenDrive } from '../open-drive.ts'

/** A resumable session and the file it ends in. */
export interface ObjectSession {
  /** A secret: it allows uploads. */
  readonly url: string
  readonly fileId: string
  /** Whether the session creates the file, in the staging folder, or replaces the content of a file. */
  readonly isNew: boolean
}

/** The last bytes for a session, and its size with them. */
export interface LastBytes {
  /** Bytes after the last whole block; may be empty. */
  readonly carry: Uint8Array
  readonly size: number
}

/**
 * Starts a session that replaces the content of the key's current file, which keeps its history
 * and its links. Without one, the session creates a new file that is not visible.
 */
export async function beginSession(
  drive: OpenDrive,
  name: ObjectName,
  signal?: AbortSignal,
): Promise<ObjectSession> {
  const { api, objects } = drive
  const [current] = await objects.find(name.bucket, name.key)
  if (current === undefined) return await beginStagedSession(drive, name, signal)
  const metadata = { mimeType: mimeTypeOf(name) }
  try {
    const url = await api.beginSession({ id: current.id, metadata, signal })
    return { url, fileId: current.id, isNew: false }
  } catch (error) {
    if (!(error instanceof GoogleNotFound)) throw error
    return await beginStagedSession(drive, name, signal)
  }
}

/** Starts a session that creates a new file in the staging folder. */
export async function beginStagedSession(
  { api, staging }: OpenDrive,
  name: ObjectName,
  signal?: AbortSignal,
): Promise<ObjectSession> {
  const fileId = await api.newId()
  const mimeType = mimeTypeOf(name)
  const url = await staging.within((folderId) => {
    const metadata = { id: fileId, name: fileId, mimeType, parents: [folderId] as const }
    return api.beginSession({ metadata, signal })
  })
  return { url, fileId, isNew: true }
}

/**
 * Discards the bytes sent, unless they have become the object. Never rejects with a DriveError.
 *
 * @param name the key, if an attempt to publish the session there may have been made.
 */
export async function discardSession(
  { api, staging }: OpenDrive,
  { url, fileId, isNew }: ObjectSession,
  name?: ObjectName,
): Promise<void> {
  try {
    await api.cancelSession(url)
  } catch (error) {
    // The session expires after a week and is never visible.
    if (!(error instanceof DriveError)) throw error
  }
  // If the session has ended, the file exists.
  if (isNew) await staging.discard(fileId, name)
}

/**
 * Ends a session that has all bytes but these. May be repeated: an ended session returns its file,
 * and if the session no longer exists, its file does.
 *
 * @throws DriveError
 */
export async function endSession(
  api: GoogleApi,
  session: ObjectSession,
  { carry, size }: LastBytes,
): Promise<GoogleFile> {
  const offset = size - carry.length
  const { length } = carry
  const state = await api.sendChunk(session.url, { offset, bytes: [carry], length, total: size })
  if (state.kind === 'done') return state.file
  if (state.kind === 'gone') {
    const file = session.isNew ? await api.findFile(session.fileId) : undefined
    if (file === undefined) throw sessionGone()
    return file
  }
  const message = `Google Drive has ${state.persisted} of ${size} bytes and does not accept the rest.`
  throw new DriveError('unavailable', `${message} Try again.`)
}

/** The error if the upload's bytes are lost. */
export function sessionGone(): DriveError {
  const message =
    'Google Drive no longer has this upload (it keeps one for a week): start a new upload.'
  return new DriveError('upload-gone', message)
}
