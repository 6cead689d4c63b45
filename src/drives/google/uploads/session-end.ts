import { DriveError } from '../../drive.ts'
import type { GoogleApi } from '../api/google-api.ts'
import { GoogleNotFound } from '../api/google-errors.ts'
import type { GoogleFile } from '../api/google-file.ts'
import type { ObjectSession } from './session-publisher.ts'
import { sessionGone } from './session-stream.ts'

/** The last bytes of a session, and how many there are in all. */
export interface LastBytes {
  /** Behind the last whole block; may be empty. */
  readonly carry: Uint8Array
  readonly size: number
}

/**
 * Ends a session that holds everything but these bytes. May be repeated: one that has ended says
 * what it became, and a session that Google has forgotten by then has left a file.
 *
 * @throws DriveError
 */
export async function endSession(
  api: GoogleApi,
  session: ObjectSession,
  { carry, size }: LastBytes,
): Promise<GoogleFile> {
  const offset = size - carry.length
  const state = await api.sendChunk(session.url, {
    offset,
    bytes: [carry],
    length: carry.length,
    total: size,
  })
  if (state.kind === 'done') return state.file
  if (state.kind === 'gone') return await fileOfForgotten(api, session)
  const message = `Google Drive has ${state.persisted} of ${size} bytes and does not accept the rest.`
  throw new DriveError('unavailable', `${message} Try again.`)
}

async function fileOfForgotten(api: GoogleApi, session: ObjectSession): Promise<GoogleFile> {
  if (!session.isNew) throw sessionGone()
  try {
    return await api.getFile(session.fileId)
  } catch (error) {
    if (error instanceof GoogleNotFound) throw sessionGone()
    throw error
  }
}
