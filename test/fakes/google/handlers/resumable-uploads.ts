import type { Call, Handler, Reply } from '../call.ts'
import { badRange, type ContentRange, isLast, parseContentRange } from '../content-range.ts'
import { readMetadata } from '../file-metadata.ts'
import { checkNewFile, createFile, findFile, updateFile } from '../file-operations.ts'
import type { FileRecord } from '../file-record.ts'
import { GoogleError, invalidValue } from '../google-error.ts'
import { plainRefusal } from '../raw-refusal.ts'
import { blockBytes, type UploadSession } from '../upload-sessions.ts'
import { fileMask, fileReply } from './shaped-reply.ts'
import { mediaOf } from './whole-uploads.ts'

/** Statuses of ended sessions: the upload must restart. */
const finalStatuses = new Set([400, 403, 404, 409])

/** `uploadType=resumable`: the bytes are sent to the reply's Location. */
export const beginSession: Handler = async (call) => {
  const { account, query, caller, headers, id } = call
  fileMask(query)
  const metadata = readMetadata(await call.body.json(), id === '' ? 'create' : 'update')
  if (id === '') checkNewFile(account, { metadata, query, caller })
  else findFile(account, id, query)
  const mimeType = headers['x-upload-content-type']?.toString()
  const session = account.sessions.begin({
    ...(id === '' ? {} : { fileId: id }),
    metadata,
    ...(mimeType === undefined ? {} : { mimeType }),
    ...announcedSize(headers['x-upload-content-length']?.toString()),
    query,
    caller,
  })
  // An update must start with PATCH. PUT succeeds, but without a Location.
  if (call.method === 'PUT') return { status: 200 }
  const parameters = new URLSearchParams(query)
  parameters.set('upload_id', session.id)
  const path = id === '' ? 'files' : `files/${id}`
  const location = `${call.origin}/upload/drive/v3/${path}?${parameters}`
  return { status: 200, headers: { location, 'x-guploader-uploadid': session.id } }
}

/** Bytes of a session. Without bytes, it reports its state, and ends if it has all bytes. */
export const continueSession: Handler = async (call) => {
  const { account } = call
  const session = account.sessions.get(call.id)
  if (session === undefined) throw new GoogleError('notFound')
  // A lost reply can be requested again, any number of times.
  if (session.outcome !== undefined) return await outcomeOf(session, call)
  const range = rangeOf(call)
  checkRange(session, range, call)
  if (range.start !== undefined) {
    await session.receive(call.body, range.start)
    if (range.end !== undefined && isShort(call, range)) {
      throw badRange(`There were ${call.body.received} byte(s) in the request body.`)
    }
  }
  if (range.total !== session.received) return stateOf(session, call)
  session.outcome = finish(session, call)
  return await outcomeOf(session, call)
}

export const cancelSession: Handler = async ({ account, id }) => {
  if (account.sessions.get(id) === undefined) throw new GoogleError('notFound')
  await account.sessions.forget(id)
  return { status: 499 }
}

function announcedSize(header: string | undefined): { size?: number } {
  if (header === undefined) return {}
  if (!/^\d+$/.test(header)) throw invalidValue('X-Upload-Content-Length')
  return { size: Number(header) }
}

/** A body without a range is the whole file. */
function rangeOf({ headers }: Call): ContentRange {
  const range = headers['content-range']
  if (range !== undefined) return parseContentRange(range)
  const length = Number(headers['content-length'] ?? Number.NaN)
  if (Number.isNaN(length)) throw badRange('The length of the body is not told.')
  return length === 0 ? { total: 0 } : { start: 0, end: length, total: length }
}

/** Checks that are made before the body is read. */
function checkRange(session: UploadSession, range: ContentRange, { headers }: Call): void {
  const { start, end, total } = range
  const { size } = session.target
  if (total !== undefined && total !== (size ?? total)) {
    throw badRange(`The total of ${total} byte(s) is not the ${size} announced.`)
  }
  const length = headers['content-length']
  const expected = start === undefined || end === undefined ? 0 : end - start
  if (length !== undefined && Number(length) !== expected) {
    throw badRange(
      `There were ${length} byte(s) in the request body. There should have been ${expected} byte(s) according to the Content-Range header.`,
    )
  }
  if (start === undefined || end === undefined) return
  if (start > session.persisted) {
    // Google's wording, with two spaces and without JSON.
    const message = `Invalid request.  According to the Content-Range header, the upload offset is ${start} byte(s), which exceeds already uploaded size of ${session.persisted} byte(s).`
    throw plainRefusal(503, message)
  }
  if (!isLast(range) && (end - start) % blockBytes !== 0) {
    throw badRange(`A chunk that is not the last has to be a multiple of ${blockBytes} bytes.`)
  }
}

/** Whether the body does not match the range, which only happens without a Content-Length. */
function isShort({ body }: Call, { start = 0, end = 0 }: ContentRange): boolean {
  return body.received !== end - start
}

/** The file is not complete yet. No Range means that it has no bytes. */
function stateOf(session: UploadSession, { headers }: Call): Reply {
  const { persisted } = session
  const range: Record<string, string> = persisted === 0 ? {} : { range: `bytes=0-${persisted - 1}` }
  // For clients that treat every 3xx as a redirect, like Google's own.
  if (headers['x-guploader-no-308'] !== 'yes') return { status: 308, headers: range }
  return { status: 200, headers: { ...range, 'x-http-status-code-override': '308' } }
}

async function outcomeOf({ outcome, target }: UploadSession, { account }: Call): Promise<Reply> {
  if (outcome === undefined) throw new Error('the session has not ended')
  return await fileReply(account, await outcome, target.query)
}

async function finish(session: UploadSession, { account }: Call): Promise<FileRecord> {
  const { fileId, metadata, mimeType, query, caller } = session.target
  try {
    const media = mediaOf(await session.finish(), mimeType)
    const change = { metadata, media, query, caller }
    if (fileId === undefined) return createFile(account, change)
    return updateFile(account, fileId, change)
  } catch (error) {
    if (error instanceof GoogleError && finalStatuses.has(error.status)) {
      await account.sessions.forget(session.id)
    }
    throw error
  }
}
