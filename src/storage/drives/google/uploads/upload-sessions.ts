/**
 * Sessions of uploads. A session can only grow: bytes that were sent to it but were not committed
 * stay in it, as after a client disconnected during a part or a crash. If the client sends the same
 * bytes again, which the digests show, they are skipped. If it sends other bytes, or none, the
 * session is ended into a file that is not visible, and a new session gets the beginning of that
 * file (docs/decisions/0016-google-multipart.md).
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { backOffMs } from '../../../../platform/process/back-off.ts'
import { DriveError } from '../../drive-error.ts'
import { lostBytes } from '../../kit/uploads/upload-rules.ts'
import { GoogleNotFound } from '../api/google-failure.ts'
import type { SessionState } from '../api/resumable-sessions.ts'
import type { OpenDrive } from '../open-drive.ts'
import {
  beginSession,
  beginStagedSession,
  discardSession,
  type ObjectSession,
  sessionGone,
} from './object-sessions.ts'
import { blockBytes, wholeBlocks } from './send-memory.ts'
import { sendBlocks } from './session-stream.ts'
import {
  findRecord,
  type GoogleUploadState,
  saveRecord,
  type UploadRecord,
} from './upload-state.ts'

/** Pauses while a session that must end still grows: about five seconds in all. */
const endingBackOff = { firstMs: 50, longestMs: 5_000 }
const maxEndings = 8

/** A session that can be continued. */
export interface ReadySession {
  readonly session: ObjectSession
  /** How many bytes it has, in whole blocks. */
  readonly position: number
  /** Digests of the blocks after the committed ones that were or may have been sent to it. */
  readonly known: readonly string[]
}

/** @throws DriveError `upload-gone` if the upload is no longer known, or is damaged. */
export async function uploadRecord(drive: OpenDrive, uploadId: string): Promise<UploadRecord> {
  const record = await findRecord(drive.records, uploadId)
  if (record !== undefined && !record.isDamaged) return record
  if (record === undefined) throw lostBytes()
  const message = 'The bytes of this upload arrived damaged: start a new upload.'
  throw new DriveError('upload-gone', message)
}

/** The upload's session, with its position; started if it has none. */
export async function readySession(
  drive: OpenDrive,
  state: GoogleUploadState,
): Promise<ReadySession> {
  const record = await uploadRecord(drive, state.id)
  const committed = wholeBlocks(state.size)
  if (record.published !== undefined) throw isOver(state.id)
  if (record.session === undefined) return await begin(drive, state)
  if (record.source !== undefined) return await refill(drive, state, record, committed)
  const known = await drive.records.blocks(state.id, committed / blockBytes)
  if (known.length === 0 && !record.isEnding && committed > 0) {
    return { session: record.session, position: committed, known }
  }
  return await resume(drive, state, record.session, known)
}

/** The session, if an earlier Complete has ended it with all committed bytes, and how it ended. */
export async function endedSession(
  drive: OpenDrive,
  state: GoogleUploadState,
): Promise<{ session: ObjectSession; how: 'done' | 'gone' } | undefined> {
  const { session, isEnding } = await uploadRecord(drive, state.id)
  if (session === undefined || !isEnding) return undefined
  const answer = await drive.api.querySession(session.url)
  if (answer.kind === 'gone') return { session, how: 'gone' }
  const isWhole = answer.kind === 'done' && answer.file.size === state.size
  return isWhole ? { session, how: 'done' } : undefined
}

/** A session with exactly the committed blocks; undefined if the upload has no session. */
export async function exactSession(
  drive: OpenDrive,
  state: GoogleUploadState,
): Promise<ObjectSession | undefined> {
  const record = await uploadRecord(drive, state.id)
  if (record.session === undefined || state.size < blockBytes) return undefined
  const { session, position } = await readySession(drive, state)
  const committed = wholeBlocks(state.size)
  const known = await drive.records.blocks(state.id, committed / blockBytes)
  if (position === committed && known.length === 0) return session
  return (await rebuildSession(drive, state, committed)).session
}

/**
 * A new session with the first `until` bytes of the current one, which are correct.
 *
 * @throws DriveError `upload-gone` if the current session replaces the content of an object:
 *   ending it would make the bytes visible.
 */
export async function rebuildSession(
  drive: OpenDrive,
  state: GoogleUploadState,
  until: number,
): Promise<ReadySession> {
  const { records } = drive
  const record = await uploadRecord(drive, state.id)
  const { session: old } = record
  if (old === undefined) return await begin(drive, state)
  if (!old.isNew && until > 0) throw cannotTakeBack(state.id)
  if (until > 0) await end(drive, old)
  else await discardSession(drive, old)
  const session = await (until > 0 ? beginStagedSession(drive, state) : beginSession(drive, state))
  const source = { fileId: old.fileId, session: old }
  const next = until > 0 ? { session, source } : { session }
  await saveRecord(records, state.id, next)
  await records.dropBlocks(state.id, until / blockBytes)
  return await refill(drive, state, next, until)
}

async function begin(drive: OpenDrive, state: GoogleUploadState): Promise<ReadySession> {
  if (state.size >= blockBytes) throw sessionGone()
  const session = await beginSession(drive, state)
  await saveRecord(drive.records, state.id, { session })
  return { session, position: 0, known: [] }
}

/** Continues the session after a failure, from the state that Google reports. */
async function resume(
  drive: OpenDrive,
  state: GoogleUploadState,
  session: ObjectSession,
  known: readonly string[],
): Promise<ReadySession> {
  const committed = wholeBlocks(state.size)
  const answer = await drive.api.querySession(session.url)
  if (answer.kind === 'done') return await rebuildSession(drive, state, committed)
  if (answer.kind === 'gone' && committed === 0) return await rebuildSession(drive, state, 0)
  const position = positionOf(answer)
  if (position < committed) throw sessionGone()
  // It has more than was announced, so its content is unknown.
  if (position > committed + known.length * blockBytes)
    return await rebuildSession(drive, state, committed)
  return { session, position, known }
}

/** Copies the beginning of an older session's file to the new session, from where that stopped. */
async function refill(
  drive: OpenDrive,
  state: GoogleUploadState,
  record: UploadRecord,
  until: number,
): Promise<ReadySession> {
  const { session, source } = record
  if (session === undefined) throw new Error('no session to fill')
  let position = 0
  if (source !== undefined) {
    position = positionOf(await drive.api.querySession(session.url))
    if (position < until)
      position = await copyBeginning(drive, source.fileId, session, position, until)
    await saveRecord(drive.records, state.id, { session })
    await discardSession(drive, source.session)
  }
  const first = wholeBlocks(state.size) / blockBytes
  return { session, position, known: await drive.records.blocks(state.id, first) }
}

async function copyBeginning(
  { api, memory }: OpenDrive,
  fileId: string,
  { url }: ObjectSession,
  position: number,
  expectedEnd: number,
): Promise<number> {
  const range = { start: position, end: expectedEnd }
  const { body } = await api.download(fileId, { range }).catch((error: unknown) => {
    // Someone deleted the file that has the first bytes.
    throw error instanceof GoogleNotFound ? sessionGone() : error
  })
  await sendBlocks(body, { api, url, memory, position, expectedEnd })
  return expectedEnd
}

/** Ends the session, which creates its file. Bytes that were sent earlier may still be arriving. */
async function end({ api }: OpenDrive, { url }: ObjectSession): Promise<void> {
  let state = await api.querySession(url)
  for (let failures = 0; state.kind === 'open'; failures++) {
    if (failures === maxEndings) throw stillGrowing()
    if (failures > 0) await sleep(backOffMs(failures, endingBackOff, Math.random))
    const { persisted: total } = state
    state = await api.sendChunk(url, { offset: total, bytes: [], length: 0, total })
  }
}

function positionOf(state: SessionState): number {
  if (state.kind === 'open') return state.persisted
  throw sessionGone()
}

function stillGrowing(): DriveError {
  const message = 'Google Drive is still receiving bytes that were sent earlier. Try again.'
  return new DriveError('busy', message, { retryAfterSeconds: 5 })
}

function isOver(uploadId: string): DriveError {
  return new DriveError('upload-gone', `Upload ${uploadId} is completed and accepts no more parts.`)
}

function cannotTakeBack(uploadId: string): DriveError {
  return new DriveError(
    'upload-gone',
    `A part of upload ${uploadId} was sent again with different bytes, and Google Drive ` +
      'cannot replace them: start a new upload.',
  )
}
