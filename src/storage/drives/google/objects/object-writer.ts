/** Changes the file of a locked key on Google, and then the index. */
import type { Attributes } from '../../attributes.ts'
import type { ObjectMetadata, WriteConditions } from '../../drive.ts'
import { DriveError } from '../../drive-error.ts'
import type { GoogleFile } from '../api/google-file.ts'
import { googlePathOf } from '../google-names.ts'
import { refreshFile } from '../index/apply-changes.ts'
import type { IndexedFile, OwnWrite } from '../index/drive-index.ts'
import { indexedFile, indexedMetadata, withAttributes } from '../index/indexed-file.ts'
import type { OpenDrive } from '../open-drive.ts'
import { publishedRecord } from '../uploads/upload-state.ts'
import {
  damaged,
  hasAttributes,
  isStored,
  mimeTypeOf,
  nameOf,
  packAttributes,
  packBeside,
  parentsChange,
  unpackAttributes,
} from './file-metadata.ts'
import { ensureFolder, isFolderGone } from './google-folders.ts'
import type { CurrentObject, LockedKey } from './locked-key.ts'

/** What is to be published, apart from its bytes. */
export interface NewGoogleObject {
  readonly attributes: Attributes
  readonly conditions?: WriteConditions | undefined
  /** The upload that it comes from. */
  readonly upload?: PublishedUpload
  /** See CompleteOptions.assertHeld. */
  readonly assertHeld?: (() => void) | undefined
}

export interface PublishedUpload {
  readonly id: string
  /** The id for a new file, if one is already recorded. */
  readonly newId?: string
  /** Files of earlier attempts with an unknown outcome. */
  readonly earlierIds?: readonly string[]
}

/** Bytes to be sent in one call. */
export interface SmallBytes {
  readonly bytes: Uint8Array
  readonly md5: string
  /** The id of a new file. */
  readonly newId: string
}

/** How often a folder is created again if it is removed while a file is added to it. */
const maxPlacings = 4

/**
 * Makes a staged file the object by changing its name, folder and attributes in one step. The
 * replaced file is handled as a removed object.
 */
export async function moveIntoPlace(
  drive: OpenDrive,
  key: LockedKey,
  staged: GoogleFile,
  object: NewGoogleObject,
): Promise<ObjectMetadata> {
  const { api, now } = drive
  const { md5Checksum = '', appProperties: before } = staged
  const packed = packAttributes(object.attributes, md5Checksum, before)
  return await place(drive, key, object, async (parent, made) => {
    const metadata = nameOf(key.name)
    const appProperties = { ...packed.properties, ...metadata.appProperties }
    const untrashed = staged.trashed ? { trashed: false as const } : {}
    return await api.updateFile(
      staged.id,
      { ...metadata, appProperties, modifiedAtMs: now(), ...untrashed },
      { ...parentsChange(made ?? staged, parent), signal: key.signal },
    )
  })
}

/** Sends the bytes of a new file. */
export async function createObject(
  drive: OpenDrive,
  key: LockedKey,
  { bytes, md5, newId }: SmallBytes,
  object: NewGoogleObject,
): Promise<ObjectMetadata> {
  const { api } = drive
  const { attributes } = object
  const { signal } = key
  const { properties } = packAttributes(attributes, md5)
  const mimeType = mimeTypeOf(key.name, attributes)
  return await place(drive, key, object, async (parent, made) => {
    if (made !== undefined) return await api.updateFile(made.id, {}, parentsChange(made, parent))
    const named = { ...nameOf(key.name), mimeType, id: newId, parents: [parent] } as const
    const appProperties = { ...properties, ...named.appProperties }
    const file = await api.uploadSmall({ metadata: { ...named, appProperties }, bytes, signal })
    const isRight = isStored(file, bytes.length, md5) && hasAttributes(file, attributes)
    if (isRight && file.name === named.name) return file
    // The file is not visible yet and must not become visible.
    await api.trash(file.id)
    throw damaged(file, bytes.length, md5)
  })
}

/** Changes the attributes of the current object. */
export async function changeAttributes(
  drive: OpenDrive,
  key: LockedKey,
  { file: before }: CurrentObject,
  object: NewGoogleObject,
  modifiedAtMs = drive.now(),
): Promise<ObjectMetadata> {
  const { api } = drive
  const { id, md5Checksum = '', appProperties } = before
  const packed = packAttributes(object.attributes, md5Checksum, appProperties)
  object.assertHeld?.()
  key.beforeChange()
  const file = await api.updateFile(
    id,
    { appProperties: packed.properties, modifiedAtMs },
    { signal: key.signal },
  )
  return await recordReplaced(drive, key, file, object)
}

/**
 * Stores the attributes of the next bytes of the object's file beside those of its current bytes.
 * False if the bytes are the same, because they have only one set of attributes.
 */
export async function prepareAttributes(
  { api, index }: OpenDrive,
  key: LockedKey,
  { file: before, row }: CurrentObject,
  { md5, object }: { readonly md5: string; readonly object: NewGoogleObject },
): Promise<boolean> {
  const { id, md5Checksum: kept = '' } = before
  if (kept === md5) return false
  const { attributes } = object
  const packed = packBeside(attributes, md5, { before: before.appProperties, kept })
  if (packed.isKeptCut && row.attributes !== '')
    await index.keepAttributes({ id, md5: kept, json: row.attributes })
  if (!packed.isWhole) {
    await index.keepAttributes({ id, md5, json: JSON.stringify(attributes) })
  }
  key.beforeChange()
  await api.updateFile(id, { appProperties: packed.properties }, { signal: key.signal })
  return true
}

/** Records in the index that the object's file has new bytes or attributes. */
export async function recordReplaced(
  drive: OpenDrive,
  key: LockedKey,
  file: GoogleFile,
  object: NewGoogleObject,
): Promise<ObjectMetadata> {
  const found = indexedFile(file)
  const row = withAttributes(found ?? rowOf(key, file), object.attributes)
  const isNoted = found !== undefined && (await drive.index.write(ownWrite(row, file, object)))
  // A user moved or trashed it since it was checked: this counts as after the write.
  if (!isNoted) await refreshFile(drive, file.id)
  key.afterChange()
  return indexedMetadata(row)
}

/**
 * Creates a file in the key's folder, records it as the object and removes the replaced one.
 *
 * @param make creates the file in this folder, or moves the file of an earlier attempt there.
 */
async function place(
  drive: OpenDrive,
  key: LockedKey,
  object: NewGoogleObject,
  make: (parent: string, made: GoogleFile | undefined) => Promise<GoogleFile>,
): Promise<ObjectMetadata> {
  let made: GoogleFile | undefined
  for (let attempt = 0; attempt < maxPlacings; attempt++) {
    const parent = await ensureFolder(drive, key.name.bucket, googlePathOf(key.name.key).folders)
    object.assertHeld?.()
    key.beforeChange()
    try {
      made = await make(parent, made)
    } catch (error) {
      if (!(await isFolderGone(drive, parent))) throw error
      continue
    }
    const found = indexedFile(made)
    const row = found && withAttributes(found, object.attributes)
    const replaced = key.rows.filter((other) => other.id !== row?.id)
    const hides = replaced.map(({ id, version }) => ({ id, version: version + 1 }))
    if (row && (await drive.index.write({ ...ownWrite(row, made, object), hides }))) {
      key.afterChange()
      await removeReplaced(drive, key, replaced)
      return indexedMetadata(row)
    }
    // The folder is now in the trash, and this file with it.
    await refreshFile(drive, parent)
  }
  const { bucket, key: name } = key.name
  const message = `The folder of ${bucket}/${name} keeps being removed by another client. Try again.`
  throw new DriveError('busy', message, { retryAfterSeconds: 1 })
}

/** Never rejects with a DriveError: the object is published, and a file that stays is a duplicate. */
async function removeReplaced(drive: OpenDrive, key: LockedKey, rows: readonly IndexedFile[]) {
  try {
    await removeFiles(drive, key, rows)
  } catch (error) {
    if (!(error instanceof DriveError)) throw error
    key.leaveForLater()
    const { name } = key
    drive.log.warn({ err: error, ...name }, 'could not remove a replaced file; will retry')
  }
}

/**
 * Removes the object and its duplicates, so that none of them becomes the object. Duplicates always
 * go to the trash, because they were never visible; and so does a file that an upload's session ends
 * in, because the session restores it from there.
 *
 * @param rows the object's file first.
 */
export async function removeFiles(
  drive: OpenDrive,
  key: LockedKey,
  rows: readonly IndexedFile[],
): Promise<void> {
  const { api, index, deletes, records } = drive
  for (const [position, { id, version }] of rows.entries()) {
    key.beforeChange()
    const isObject = deletes === 'permanent' && position === 0
    if (isObject && !(await records.isTarget(id))) await api.delete(id, { signal: key.signal })
    else await api.trash(id, { signal: key.signal })
    await index.save([], [{ id, version: version + 1 }])
    key.afterChange()
  }
}

function ownWrite(row: IndexedFile, file: GoogleFile, object: NewGoogleObject): OwnWrite {
  const { attributes, upload } = object
  const md5 = file.md5Checksum ?? ''
  const isWhole = unpackAttributes(file.appProperties, md5)?.isWhole === true
  const kept = isWhole ? undefined : { id: row.id, md5, json: JSON.stringify(attributes) }
  const published = upload && { id: upload.id, json: publishedRecord(row) }
  return { file: row, kept, upload: published }
}

/** The row of a replaced file that the index no longer shows. */
function rowOf(key: LockedKey, file: GoogleFile): IndexedFile {
  const { size = 0, md5Checksum: md5 = '', modifiedAtMs, version } = file
  const before = key.current?.row
  if (before === undefined) throw new Error('a replaced object has a current row')
  return { ...before, size, md5, modifiedAtMs, version }
}
