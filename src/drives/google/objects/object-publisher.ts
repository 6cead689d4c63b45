import { hash } from 'node:crypto'
import type { DriveLog } from '../../cloud/drive-log.ts'
import { changedSource } from '../../copy-source.ts'
import {
  DriveError,
  type ObjectMetadata,
  type ObjectName,
  type RemovalConditions,
} from '../../drive.ts'
import type { GoogleApi } from '../api/google-api.ts'
import { GoogleNotFound } from '../api/google-errors.ts'
import type { GoogleFile } from '../api/google-file.ts'
import { googlePathOf } from '../google-names.ts'
import {
  endSession,
  type LastBytes,
  type ObjectSession,
  sessionGone,
} from '../uploads/object-sessions.ts'
import type { StagingFolder } from '../uploads/staging-folder.ts'
import type { UploadRecords } from '../uploads/upload-records.ts'
import { saveRecord } from '../uploads/upload-state.ts'
import { packAttributes } from './attribute-properties.ts'
import type { ContentRestorer } from './content-restorer.ts'
import { mimeTypeOf } from './file-metadata.ts'
import type { GoogleFolders } from './google-folders.ts'
import type { CurrentObject, LockedKey, ObjectLocks } from './locked-key.ts'
import type { NewGoogleObject, ObjectWriter, SmallBytes } from './object-writer.ts'
import { assertStored, damaged, hasAttributes, isStored } from './sent-file.ts'

export interface ObjectPublisherOptions {
  readonly api: GoogleApi
  readonly locks: ObjectLocks
  readonly writer: ObjectWriter
  readonly restorer: ContentRestorer
  readonly folders: GoogleFolders
  readonly staging: StagingFolder
  readonly records: UploadRecords
  readonly log: DriveLog
}

/** A session that holds all whole blocks of an object, and the rest of the object's bytes. */
export interface SentBytes extends LastBytes {
  readonly session: ObjectSession
  /** Hex, of all bytes. */
  readonly md5: string
  /**
   * Set if an earlier call has ended the session, and may have published the result. `gone`: the
   * session no longer exists on Google.
   */
  readonly hasEnded?: 'done' | 'gone' | undefined
}

/** Attempts to send bytes that arrive damaged. */
const maxSendings = 3

/**
 * Publishes objects and removes them. Each method locks the key, checks the conditions, changes
 * Google Drive and the index, and leaves a record for recovery when the outcome is unknown.
 */
export class ObjectPublisher {
  readonly #options: ObjectPublisherOptions

  constructor(options: ObjectPublisherOptions) {
    this.#options = options
  }

  /**
   * Publishes few bytes, sent in one call to the key's current file or a new one. Undefined if an
   * earlier call has published them for an upload and the object has been overwritten since.
   */
  async publishBytes(
    name: ObjectName,
    bytes: Uint8Array,
    object: NewGoogleObject,
  ): Promise<ObjectMetadata | undefined> {
    const { api, locks, writer } = this.#options
    const { newId: recordedId, earlierIds = [] } = object.upload ?? {}
    const newId = recordedId ?? (await api.newId())
    return await locks.lock(name, [newId], async (key) => {
      const small = { bytes, md5: hash('md5', bytes), newId }
      const { current } = key
      if (current !== undefined && earlierIds.includes(current.row.id)) {
        const isSame = current.file.md5Checksum === small.md5
        return isSame ? await writer.changeAttributes(key, current, object) : undefined
      }
      key.assert(object.conditions)
      if (current === undefined) return await writer.create(key, small, object)
      try {
        const metadata = await this.#overwrite(key, current, { ...small, object })
        if (recordedId === undefined) api.giveBackId(newId)
        return metadata
      } catch (error) {
        if (!(error instanceof GoogleNotFound)) throw error
        // Permanently deleted since it was checked.
        return await writer.create(key, small, object)
      }
    })
  }

  /**
   * Publishes the bytes of a session. On rejection, the key is unchanged, as far as Google allows.
   * Undefined if an earlier call has published them and they are no longer the object.
   */
  async publishSent(
    name: ObjectName,
    sent: SentBytes,
    object: NewGoogleObject,
  ): Promise<ObjectMetadata | undefined> {
    const { locks, writer } = this.#options
    const { session, hasEnded } = sent
    return await locks.lock(name, session.isNew ? [session.fileId] : [], async (key) => {
      const { current } = key
      const isCurrent = current?.row.id === session.fileId
      if (hasEnded !== undefined) {
        if (isCurrent && current.file.md5Checksum === sent.md5) {
          return await writer.changeAttributes(key, current, object)
        }
        if (await this.#wasPublished(session, hasEnded)) return undefined
      }
      key.assert(object.conditions)
      if (isCurrent && !session.isNew) return await this.#replace(key, current, { sent, object })
      if (!session.isNew) await this.#assertInTrash(session, key)
      const file = assertStored(await this.#end(sent, object), sent.size, sent.md5)
      return await writer.moveIntoPlace(key, file, object)
    })
  }

  /** Publishes a file of the staging folder. */
  async publishStaged(
    name: ObjectName,
    file: GoogleFile,
    object: NewGoogleObject,
  ): Promise<ObjectMetadata> {
    const { locks, writer } = this.#options
    return await locks.lock(name, [file.id], async (key) => {
      key.assert(object.conditions)
      return await writer.moveIntoPlace(key, file, object)
    })
  }

  /** Changes the attributes of the object with this ETag; undefined if the key has no object. */
  async changeAttributes(
    name: ObjectName,
    etag: string,
    object: NewGoogleObject,
  ): Promise<ObjectMetadata | undefined> {
    const { locks, writer } = this.#options
    return await locks.lock(name, [], async (key) => {
      key.assert(object.conditions)
      if (key.current === undefined) return undefined
      if (key.current.row.etag !== etag) throw changedSource(name)
      return await writer.changeAttributes(key, key.current, object)
    })
  }

  /** Removes the object, and folders that become empty; false if there is no object. */
  async remove(name: ObjectName, conditions?: RemovalConditions): Promise<boolean> {
    const { locks, writer } = this.#options
    const existed = await locks.lock(name, [], async (key) => {
      key.assertRemoval(conditions)
      if (key.current === undefined) return false
      await writer.remove(key)
      return true
    })
    if (existed) await this.#tidyFolders(name)
    return existed
  }

  async #overwrite(
    key: LockedKey,
    { file: before }: CurrentObject,
    { bytes, md5, object }: SmallBytes & { readonly object: NewGoogleObject },
  ): Promise<ObjectMetadata> {
    const { api, writer, restorer } = this.#options
    const { id } = before
    const { attributes } = object
    const { properties: appProperties } = packAttributes(attributes, md5, before.appProperties)
    const metadata = { mimeType: mimeTypeOf(key.name, attributes), appProperties }
    for (let attempt = 1; ; attempt++) {
      // Only before the first attempt: afterwards readers may see damaged bytes, to be replaced.
      if (attempt === 1) object.assertHeld?.()
      key.beforeChange()
      const file = await api.uploadSmall({ id, metadata, bytes, signal: key.signal })
      if (isStored(file, bytes.length, md5) && hasAttributes(file, attributes)) {
        return await writer.recordReplaced(key, file, object)
      }
      if (attempt < maxSendings) continue
      await restorer.restore(before, file)
      throw damaged(file, bytes.length, md5)
    }
  }

  /** The attributes are stored before the bytes that they belong to: both take effect in one step. */
  async #replace(
    key: LockedKey,
    current: CurrentObject,
    { sent, object }: { readonly sent: SentBytes; readonly object: NewGoogleObject },
  ): Promise<ObjectMetadata> {
    const { writer, restorer } = this.#options
    const { size, md5 } = sent
    const isPrepared = await writer.prepareAttributes(key, current, { md5, object })
    key.beforeChange()
    const file = await this.#end(sent, object)
    if (!isStored(file, size, md5)) await restorer.restore(current.file, file)
    assertStored(file, size, md5)
    if (isPrepared) return await writer.recordReplaced(key, file, object)
    return await writer.changeAttributes(key, { ...current, file }, object)
  }

  /** Ends the session. An upload's record shows that before, and damaged bytes afterwards. */
  async #end(
    { session, carry, size, md5 }: SentBytes,
    { upload, assertHeld }: NewGoogleObject,
  ): Promise<GoogleFile> {
    const { api, records } = this.#options
    if (upload === undefined) return await endSession(api, session, { carry, size })
    await saveRecord(records, upload.id, { session, isEnding: true })
    assertHeld?.()
    const file = await endSession(api, session, { carry, size })
    if (!isStored(file, size, md5)) {
      await saveRecord(records, upload.id, { session, isDamaged: true })
    }
    return file
  }

  /**
   * Whether an ended session was published as an object that no longer exists: then its file is not
   * in the staging folder.
   *
   * @throws DriveError `upload-gone` if its bytes are lost.
   */
  async #wasPublished(
    { fileId, isNew }: ObjectSession,
    hasEnded: 'done' | 'gone',
  ): Promise<boolean> {
    const where = isNew ? await this.#options.staging.whereIs(fileId) : 'elsewhere'
    if (where === 'here') return false
    if (hasEnded === 'gone' && (!isNew || where === 'nowhere')) throw sessionGone()
    return true
  }

  /**
   * The session's file is no longer the object. If it is in the trash, the session can replace its
   * bytes and it is restored. If a user has renamed it, it must not be changed.
   */
  async #assertInTrash({ fileId }: ObjectSession, key: LockedKey): Promise<void> {
    const file = await this.#options.api.findFile(fileId)
    if (file?.trashed) return key.beforeChange()
    const { bucket, key: name } = key.name
    throw new DriveError(
      'upload-gone',
      `The file of ${bucket}/${name} was permanently deleted or moved on Google Drive while it was ` +
        'being replaced: start a new upload.',
    )
  }

  /** Never rejects with a DriveError, because the object is already deleted. */
  async #tidyFolders({ bucket, key }: ObjectName): Promise<void> {
    const { folders, log } = this.#options
    try {
      await folders.removeEmpty(bucket, googlePathOf(key).folders)
    } catch (error) {
      if (!(error instanceof DriveError)) throw error
      log.warn({ err: error, bucket, key }, 'could not remove empty folders on Google Drive')
    }
  }
}
