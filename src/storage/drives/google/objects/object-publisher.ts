/**
 * Publishes objects and removes them. Each function locks the key, checks the conditions, changes
 * Google Drive and the index, and leaves a record for recovery when the outcome is unknown.
 */
import { hash } from 'node:crypto'
import type { AttributeChange } from '../../attributes.ts'
import type { ObjectMetadata, ObjectName, RemovalConditions } from '../../drive.ts'
import { DriveError } from '../../drive-error.ts'
import { changedAttributes } from '../../object-lock.ts'
import { GoogleNotFound } from '../api/google-failure.ts'
import type { GoogleFile } from '../api/google-file.ts'
import { googlePathOf } from '../google-names.ts'
import { indexedMetadata } from '../index/indexed-file.ts'
import type { OpenDrive } from '../open-drive.ts'
import {
  endSession,
  type LastBytes,
  type ObjectSession,
  sessionGone,
} from '../uploads/object-sessions.ts'
import { saveRecord } from '../uploads/upload-state.ts'
import { restoreContent } from './content-restorer.ts'
import {
  assertStored,
  damaged,
  hasAttributes,
  isStored,
  mimeTypeOf,
  packAttributes,
} from './file-metadata.ts'
import { removeEmptyFolders } from './google-folders.ts'
import type { CurrentObject, LockedKey } from './locked-key.ts'
import {
  changeAttributes,
  createObject,
  moveIntoPlace,
  type NewGoogleObject,
  prepareAttributes,
  recordReplaced,
  removeFiles,
  type SmallBytes,
} from './object-writer.ts'

/** A session that holds all whole blocks of an object, and the rest of the object's bytes. */
interface SentBytes extends LastBytes {
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
 * Publishes few bytes, sent in one call to the key's current file or a new one. Undefined if an
 * earlier call has published them for an upload and the object has been overwritten since.
 */
export async function publishBytes(
  drive: OpenDrive,
  name: ObjectName,
  bytes: Uint8Array,
  object: NewGoogleObject,
): Promise<ObjectMetadata | undefined> {
  const { api } = drive
  const { newId: recordedId, earlierIds = [] } = object.upload ?? {}
  const newId = recordedId ?? (await api.newId())
  return await drive.locks.lock(name, [newId], async (key) => {
    const small = { bytes, md5: hash('md5', bytes), newId }
    const { current } = key
    if (current !== undefined && earlierIds.includes(current.row.id)) {
      const isSame = current.file.md5Checksum === small.md5
      return isSame ? await changeAttributes(drive, key, current, object) : undefined
    }
    key.assert(object.conditions)
    if (current === undefined) return await createObject(drive, key, small, object)
    try {
      const metadata = await overwrite(drive, key, current, { ...small, object })
      if (recordedId === undefined) api.giveBackId(newId)
      return metadata
    } catch (error) {
      if (!(error instanceof GoogleNotFound)) throw error
      // Permanently deleted since it was checked.
      return await createObject(drive, key, small, object)
    }
  })
}

/**
 * Publishes the bytes of a session. On rejection, the key is unchanged, as far as Google allows.
 * Undefined if an earlier call has published them and they are no longer the object.
 */
export async function publishSent(
  drive: OpenDrive,
  name: ObjectName,
  sent: SentBytes,
  object: NewGoogleObject,
): Promise<ObjectMetadata | undefined> {
  const { session, hasEnded } = sent
  return await drive.locks.lock(name, session.isNew ? [session.fileId] : [], async (key) => {
    const { current } = key
    const isCurrent = current?.row.id === session.fileId
    if (hasEnded !== undefined) {
      if (isCurrent && current.file.md5Checksum === sent.md5) {
        return await changeAttributes(drive, key, current, object)
      }
      if (await wasPublished(drive, session, hasEnded)) return undefined
    }
    key.assert(object.conditions)
    if (isCurrent && !session.isNew)
      return await replaceContent(drive, key, current, { sent, object })
    if (!session.isNew) await assertInTrash(drive, session, key)
    const file = assertStored(await endSent(drive, sent, object), sent.size, sent.md5)
    return await moveIntoPlace(drive, key, file, object)
  })
}

/** As Drive.setAttributes. Properties belong to the bytes of one MD5, so they are never those of other bytes. */
export async function setAttributes(
  drive: OpenDrive,
  name: ObjectName,
  change: AttributeChange,
): Promise<ObjectMetadata | undefined> {
  return await drive.locks.lock(name, [], async (key) => {
    const { current } = key
    if (current === undefined) return undefined
    const { attributes, modifiedAtMs } = indexedMetadata(current.row)
    const changed = { attributes: changedAttributes(attributes, change) }
    return await changeAttributes(drive, key, current, changed, modifiedAtMs)
  })
}

/** Removes the object, and folders that become empty; false if there is no object. */
export async function removeObject(
  drive: OpenDrive,
  name: ObjectName,
  conditions?: RemovalConditions,
): Promise<boolean> {
  const existed = await drive.locks.lock(name, [], async (key) => {
    key.assertRemoval(conditions)
    if (key.current === undefined) return false
    await removeFiles(drive, key, key.rows)
    return true
  })
  if (existed) await tidyFolders(drive, name)
  return existed
}

async function overwrite(
  drive: OpenDrive,
  key: LockedKey,
  { file: before }: CurrentObject,
  { bytes, md5, object }: SmallBytes & { readonly object: NewGoogleObject },
): Promise<ObjectMetadata> {
  const { id } = before
  const { attributes } = object
  const { properties: appProperties } = packAttributes(attributes, md5, before.appProperties)
  const metadata = { mimeType: mimeTypeOf(key.name, attributes), appProperties }
  for (let attempt = 1; ; attempt++) {
    // Only before the first attempt: afterwards readers may see damaged bytes, to be replaced.
    if (attempt === 1) object.assertHeld?.()
    key.beforeChange()
    const file = await drive.api.uploadSmall({ id, metadata, bytes, signal: key.signal })
    if (isStored(file, bytes.length, md5) && hasAttributes(file, attributes)) {
      return await recordReplaced(drive, key, file, object)
    }
    if (attempt < maxSendings) continue
    await restoreContent(drive, before, file)
    throw damaged(file, bytes.length, md5)
  }
}

/** The attributes are stored before the bytes that they belong to: both take effect in one step. */
async function replaceContent(
  drive: OpenDrive,
  key: LockedKey,
  current: CurrentObject,
  { sent, object }: { readonly sent: SentBytes; readonly object: NewGoogleObject },
): Promise<ObjectMetadata> {
  const { size, md5 } = sent
  const isPrepared = await prepareAttributes(drive, key, current, { md5, object })
  key.beforeChange()
  const file = await endSent(drive, sent, object)
  if (!isStored(file, size, md5)) await restoreContent(drive, current.file, file)
  assertStored(file, size, md5)
  if (isPrepared) return await recordReplaced(drive, key, file, object)
  return await changeAttributes(drive, key, { ...current, file }, object)
}

/** Ends the session. An upload's record shows that before, and damaged bytes afterwards. */
async function endSent(
  { api, records }: OpenDrive,
  { session, carry, size, md5 }: SentBytes,
  { upload, assertHeld }: NewGoogleObject,
): Promise<GoogleFile> {
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
async function wasPublished(
  drive: OpenDrive,
  { fileId, isNew }: ObjectSession,
  hasEnded: 'done' | 'gone',
): Promise<boolean> {
  const where = isNew ? await drive.staging.whereIs(fileId) : 'elsewhere'
  if (where === 'here') return false
  if (hasEnded === 'gone' && (!isNew || where === 'nowhere')) throw sessionGone()
  return true
}

/**
 * The session's file is no longer the object. If it is in the trash, the session can replace its
 * bytes and it is restored. If a user has renamed it, it must not be changed.
 */
async function assertInTrash(drive: OpenDrive, { fileId }: ObjectSession, key: LockedKey) {
  const file = await drive.api.findFile(fileId)
  if (file?.trashed) return key.beforeChange()
  const { bucket, key: name } = key.name
  throw new DriveError(
    'upload-gone',
    `The file of ${bucket}/${name} was permanently deleted or moved on Google Drive while it was ` +
      'being replaced: start a new upload.',
  )
}

/** Never rejects with a DriveError, because the object is already deleted. */
async function tidyFolders(drive: OpenDrive, { bucket, key }: ObjectName): Promise<void> {
  try {
    await removeEmptyFolders(drive, bucket, googlePathOf(key).folders)
  } catch (error) {
    if (!(error instanceof DriveError)) throw error
    drive.log.warn({ err: error, bucket, key }, 'could not remove empty folders on Google Drive')
  }
}
