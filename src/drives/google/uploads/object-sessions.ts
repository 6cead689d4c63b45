import { DriveError, type ObjectName } from '../../drive.ts'
import type { GoogleApi } from '../api/google-api.ts'
import { GoogleNotFound } from '../api/google-errors.ts'
import type { GoogleFile } from '../api/google-file.ts'
import type { ObjectIndex } from '../index/object-index.ts'
import { mimeTypeOf } from '../objects/file-metadata.ts'
import type { StagingFolder } from './staging-folder.ts'

export interface ObjectSessionsOptions {
  readonly api: GoogleApi
  readonly objects: ObjectIndex
  readonly staging: StagingFolder
}

/** A resumable session and the file it ends in. */
export interface ObjectSession {
  /** A secret: it allows uploads. */
  readonly url: string
  readonly fileId: string
  /** Whether the session's end creates the file, in the staging folder; else it replaces its content. */
  readonly isNew: boolean
}

/** The last bytes of a session, and its size with them. */
export interface LastBytes {
  /** Behind the last whole block; may be empty. */
  readonly carry: Uint8Array
  readonly size: number
}

/** Begins and discards the sessions of objects. */
export class ObjectSessions {
  readonly #options: ObjectSessionsOptions

  constructor(options: ObjectSessionsOptions) {
    this.#options = options
  }

  /**
   * Begins a session: into the key's current file, so that it stays the same file with its history
   * and its links, else into a new file that is not visible.
   */
  async begin(name: ObjectName, signal?: AbortSignal): Promise<ObjectSession> {
    const { api, objects } = this.#options
    const [current] = await objects.find(name.bucket, name.key)
    if (current === undefined) return await this.beginStaged(name, signal)
    const metadata = { mimeType: mimeTypeOf(name) }
    try {
      const url = await api.beginSession({ id: current.id, metadata, signal })
      return { url, fileId: current.id, isNew: false }
    } catch (error) {
      if (!(error instanceof GoogleNotFound)) throw error
      return await this.beginStaged(name, signal)
    }
  }

  /** Begins a session into a new file in the staging folder. */
  async beginStaged(name: ObjectName, signal?: AbortSignal): Promise<ObjectSession> {
    const { api, staging } = this.#options
    const fileId = await api.newId()
    const mimeType = mimeTypeOf(name)
    const url = await staging.within((folderId) => {
      const metadata = { id: fileId, name: fileId, mimeType, parents: [folderId] as const }
      return api.beginSession({ metadata, signal })
    })
    return { url, fileId, isNew: true }
  }

  /**
   * Discards the bytes sent, if they did not become the object. Never rejects with a DriveError.
   *
   * @param name the key, where the session may have been told to become its object.
   */
  async discard({ url, fileId, isNew }: ObjectSession, name?: ObjectName): Promise<void> {
    const { api, staging } = this.#options
    try {
      await api.cancelSession(url)
    } catch (error) {
      // It expires after a week and is not visible until then.
      if (!(error instanceof DriveError)) throw error
    }
    // A session that has ended has created the file.
    if (isNew) await staging.discard(fileId, name)
  }
}

/**
 * Ends a session that holds everything but these bytes. May be repeated: a session that has ended
 * returns its file, and one that Google has forgotten since has left a file.
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
  if (state.kind === 'gone') {
    const file = session.isNew ? await api.findFile(session.fileId) : undefined
    if (file === undefined) throw sessionGone()
    return file
  }
  const message = `Google Drive has ${state.persisted} of ${size} bytes and does not accept the rest.`
  throw new DriveError('unavailable', `${message} Try again.`)
}

/** The upload's bytes are lost: it must restart. */
export function sessionGone(): DriveError {
  const message =
    'Google Drive no longer has this upload (it keeps one for a week): start a new upload.'
  return new DriveError('upload-gone', message)
}
