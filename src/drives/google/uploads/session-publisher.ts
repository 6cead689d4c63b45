import { DriveError, type ObjectMetadata, type ObjectName } from '../../drive.ts'
import type { GoogleApi } from '../api/google-api.ts'
import { GoogleNotFound } from '../api/google-errors.ts'
import type { GoogleFile } from '../api/google-file.ts'
import type { ObjectIndex } from '../index/object-index.ts'
import type { ContentRestorer } from '../objects/content-restorer.ts'
import { mimeTypeOf } from '../objects/file-metadata.ts'
import type { CurrentObject, HeldKey } from '../objects/held-key.ts'
import type { NewObject, ObjectWriter } from '../objects/object-writer.ts'
import { assertStored, isStored } from './sent-file.ts'
import { sessionGone } from './session-stream.ts'
import type { StagingFolder } from './staging-folder.ts'

export interface SessionPublisherOptions {
  readonly api: GoogleApi
  readonly objects: ObjectIndex
  readonly writer: ObjectWriter
  readonly restorer: ContentRestorer
  readonly staging: StagingFolder
}

/** A resumable session and the file it ends in. */
export interface ObjectSession {
  /** A secret: it allows uploads. */
  readonly url: string
  readonly fileId: string
  /** Whether the file comes into being, aside, with the session's end; else it is replaced. */
  readonly isNew: boolean
}

/** How a session ends and what it must have become. */
export interface SessionEnd {
  readonly size: number
  /** Hex, of all bytes. */
  readonly md5: string
  /** Ends the session. May be called when it has ended before. */
  readonly finish: () => Promise<GoogleFile>
  /**
   * An earlier call has ended it and may even have published the result; `gone`: Google no longer
   * knows it.
   */
  readonly hasEnded?: 'done' | 'gone' | undefined
  readonly object: NewObject
}

/** Begins sessions for objects, and makes objects of what was sent. */
export class SessionPublisher {
  readonly #options: SessionPublisherOptions

  constructor(options: SessionPublisherOptions) {
    this.#options = options
  }

  /**
   * Begins a session: into the file that the key has now, so that it stays the same file with its
   * history and its links, else into a new one that is not visible.
   */
  async begin(name: ObjectName, signal?: AbortSignal): Promise<ObjectSession> {
    const { api, objects } = this.#options
    const [there] = await objects.find(name.bucket, name.key)
    if (there === undefined) return await this.beginAside(name, signal)
    const metadata = { mimeType: mimeTypeOf(name) }
    try {
      const url = await api.beginSession({ id: there.id, metadata, ...(signal && { signal }) })
      return { url, fileId: there.id, isNew: false }
    } catch (error) {
      if (!(error instanceof GoogleNotFound)) throw error
      return await this.beginAside(name, signal)
    }
  }

  /** Begins a session into a new file. */
  async beginAside(name: ObjectName, signal?: AbortSignal): Promise<ObjectSession> {
    const { api, staging } = this.#options
    const fileId = await api.newId()
    const mimeType = mimeTypeOf(name)
    const url = await staging.within((folderId) => {
      const metadata = { id: fileId, name: fileId, mimeType, parents: [folderId] as const }
      return api.beginSession({ metadata, ...(signal && { signal }) })
    })
    return { url, fileId, isNew: true }
  }

  /**
   * Makes the session's bytes the object. On rejection the key is as it was, as far as Google lets
   * it. Undefined when an earlier call has published them and they are no longer the object.
   */
  async publish(
    name: ObjectName,
    session: ObjectSession,
    end: SessionEnd,
  ): Promise<ObjectMetadata | undefined> {
    const { writer } = this.#options
    return await writer.keys.hold(name, session.isNew ? [session.fileId] : [], async (held) => {
      const { current } = held
      const isThere = current?.row.id === session.fileId
      if (end.hasEnded !== undefined) {
        if (isThere && current.file.md5Checksum === end.md5) {
          return await writer.changeAttributes(held, current, end.object)
        }
        if (await this.#isOver(session, end.hasEnded)) return undefined
      }
      held.assert(end.object.conditions)
      if (session.isNew) return await this.#publishNew(held, end)
      return isThere
        ? await this.#replace(held, current, end)
        : await this.#bringBack(held, session, end)
    })
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
    // Where the session had ended there is a file already.
    if (isNew) await staging.discard(fileId, name)
  }

  /**
   * Whether an ended session has become an object that no longer exists: its file is not in the
   * staging folder.
   *
   * @throws DriveError `upload-gone` when nothing is left of it.
   */
  async #isOver({ fileId, isNew }: ObjectSession, hasEnded: 'done' | 'gone'): Promise<boolean> {
    const { staging } = this.#options
    const place = isNew ? await staging.whereIs(fileId) : 'elsewhere'
    if (place === 'here') return false
    if (hasEnded === 'gone' && (!isNew || place === 'nowhere')) throw sessionGone()
    return true
  }

  async #publishNew(held: HeldKey, end: SessionEnd): Promise<ObjectMetadata> {
    const file = assertStored(await end.finish(), end.size, end.md5)
    return await this.#options.writer.settle(held, file, end.object)
  }

  /**
   * The attributes are there before the bytes that they belong to, so that both become the object in one step.
   */
  async #replace(held: HeldKey, current: CurrentObject, end: SessionEnd): Promise<ObjectMetadata> {
    const { writer, restorer } = this.#options
    const isPrepared = await writer.prepareAttributes(held, current, end)
    held.beforeChange()
    const file = await end.finish()
    if (!isStored(file, end.size, end.md5)) await restorer.restore(current.file, file)
    assertStored(file, end.size, end.md5)
    if (isPrepared) return await writer.noteReplaced(held, file, end.object)
    return await writer.changeAttributes(held, { ...current, file }, end.object)
  }

  /**
   * The file to be replaced is no longer the object. One that was removed takes the bytes and comes
   * back; one that a user has renamed belongs to the user.
   */
  async #bringBack(
    held: HeldKey,
    session: ObjectSession,
    end: SessionEnd,
  ): Promise<ObjectMetadata> {
    const { writer } = this.#options
    if (!(await this.#isInTrash(session.fileId))) throw wentAway(held.name)
    held.beforeChange()
    const file = assertStored(await end.finish(), end.size, end.md5)
    return await writer.settle(held, file, end.object)
  }

  async #isInTrash(fileId: string): Promise<boolean> {
    try {
      return (await this.#options.api.getFile(fileId)).trashed
    } catch (error) {
      if (error instanceof GoogleNotFound) return false
      throw error
    }
  }
}

function wentAway({ bucket, key }: ObjectName): DriveError {
  return new DriveError(
    'upload-gone',
    `The file of ${bucket}/${key} was permanently deleted or moved on Google Drive while it was ` +
      'being replaced: start a new upload.',
  )
}
