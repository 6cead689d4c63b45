import type { Attributes } from '../../attributes.ts'
import {
  DriveError,
  type ObjectMetadata,
  type ObjectName,
  type WriteConditions,
} from '../../drive.ts'
import type { GoogleApi } from '../api/google-api.ts'
import type { GoogleFile } from '../api/google-file.ts'
import { pathOfKey } from '../google-names.ts'
import type { ChangeApplier } from '../index/change-applier.ts'
import type { IndexedFile, OwnWrite } from '../index/drive-index.ts'
import { factsOf, indexedFile, withAttributes } from '../index/indexed-file.ts'
import type { IndexLog, ObjectIndex } from '../index/object-index.ts'
import { packAttributes, packBeside, unpackAttributes } from './attribute-properties.ts'
import { nameOf, parentsChange } from './file-metadata.ts'
import type { FolderMaker } from './folder-maker.ts'
import type { CurrentObject, HeldKey, KeyHolder } from './held-key.ts'

export interface ObjectWriterOptions {
  readonly api: GoogleApi
  readonly objects: ObjectIndex
  readonly news: ChangeApplier
  readonly keys: KeyHolder
  readonly folders: FolderMaker
  /** Whether what is removed goes for good. */
  readonly deletesForGood: boolean
  /** Whether an upload is on its way into the file: then it must be possible to bring it back. */
  readonly isUploadTarget: (fileId: string) => Promise<boolean>
  readonly now: () => number
  readonly log: IndexLog
}

/** What an object is to become. */
export interface NewObject {
  readonly attributes: Attributes
  readonly conditions?: WriteConditions | undefined
  /** The upload that it comes from, and what is noted of it once it is published. */
  readonly upload?: PublishedUpload
  /** See CompleteOptions.assertHeld. */
  readonly assertHeld?: (() => void) | undefined
}

export interface PublishedUpload {
  readonly id: string
  readonly jsonOf: (file: IndexedFile) => string
  /** The file that it becomes if there is no object, if already recorded. */
  readonly newId?: string
  /** Files of earlier attempts, by calls without a known outcome. */
  readonly earlierIds?: readonly string[]
}

/** How often a folder that is removed while a file is put into it is created again. */
const maxPlacings = 4

/** Puts objects in their place, and takes them away. */
export class ObjectWriter {
  readonly #options: ObjectWriterOptions

  constructor(options: ObjectWriterOptions) {
    this.#options = options
  }

  get keys(): KeyHolder {
    return this.#options.keys
  }

  /**
   * Makes a file that lies elsewhere the object, in one step: name, folder and attributes. What was
   * there goes where removed objects go.
   */
  async settle(held: HeldKey, staged: GoogleFile, object: NewObject): Promise<ObjectMetadata> {
    const { api, now } = this.#options
    const { md5Checksum = '', appProperties: before } = staged
    const packed = packAttributes(object.attributes, md5Checksum, before)
    return await this.place(held, object, async (parent, made) => {
      const metadata = nameOf(held.name)
      const appProperties = { ...packed.properties, ...metadata.appProperties }
      return await api.updateFile(
        staged.id,
        {
          ...metadata,
          appProperties,
          modifiedAtMs: now(),
          ...(staged.trashed && { trashed: false }),
        },
        { ...parentsChange(made ?? staged, parent), signal: held.signal },
      )
    })
  }

  /** Gives the object that is there other attributes. */
  async changeAttributes(
    held: HeldKey,
    { file: before }: CurrentObject,
    object: NewObject,
  ): Promise<ObjectMetadata> {
    const { api, now } = this.#options
    const { id, md5Checksum = '', appProperties } = before
    const packed = packAttributes(object.attributes, md5Checksum, appProperties)
    object.assertHeld?.()
    held.beforeChange()
    const file = await api.updateFile(
      id,
      { appProperties: packed.properties, modifiedAtMs: now() },
      { signal: held.signal },
    )
    return await this.noteReplaced(held, file, object)
  }

  /**
   * Gives the object's file the attributes of bytes that it is about to get, beside those of the
   * bytes that it has. False when they are the same bytes, which have one set of attributes.
   */
  async prepareAttributes(
    held: HeldKey,
    { file: before, row }: CurrentObject,
    { md5, object }: { readonly md5: string; readonly object: NewObject },
  ): Promise<boolean> {
    const { api, objects } = this.#options
    const { id, md5Checksum: kept = '' } = before
    if (kept === md5) return false
    const { attributes } = object
    const { index } = objects
    const packed = packBeside(attributes, md5, { before: before.appProperties, kept })
    if (packed.isKeptCut && row.attributes !== '')
      await index.keepAttributes({ id, md5: kept, json: row.attributes })
    if (!packed.isWhole) {
      await index.keepAttributes({ id, md5, json: JSON.stringify(attributes) })
    }
    held.beforeChange()
    await api.updateFile(id, { appProperties: packed.properties }, { signal: held.signal })
    return true
  }

  /** The file that was there has other bytes or attributes now. */
  async noteReplaced(held: HeldKey, file: GoogleFile, object: NewObject): Promise<ObjectMetadata> {
    const { objects, news } = this.#options
    const found = indexedFile(file)
    const row = withAttributes(found ?? rowOf(held, file), object.attributes)
    const isNoted = found !== undefined && (await objects.index.write(ownWrite(row, file, object)))
    // A user moved or trashed it since it was checked: this counts as after the write.
    if (!isNoted) await news.refresh(file.id)
    held.afterChange()
    return factsOf(row)
  }

  /**
   * Removes the object and its duplicates: S3 knows only one, and it must not come back as another.
   * Duplicates always go to the trash, because they were never visible.
   */
  async remove(name: ObjectName, conditions?: WriteConditions): Promise<boolean> {
    const { keys } = this.#options
    const wasThere = await keys.hold(name, [], async (held) => {
      held.assert(conditions)
      if (held.current === undefined) return false
      await this.#dispose(held, held.rows)
      return true
    })
    if (wasThere) await this.#tidyFolders(name)
    return wasThere
  }

  /** The object is deleted, even if its folders remain. */
  async #tidyFolders({ bucket, key }: ObjectName): Promise<void> {
    const { folders, log } = this.#options
    try {
      await folders.removeEmpty(bucket, pathOfKey(key).folders)
    } catch (error) {
      if (!(error instanceof DriveError)) throw error
      log.warn({ err: error, bucket, key }, 'could not remove empty folders on Google Drive')
    }
  }

  /**
   * Makes a file and notes it as the object, in a folder that is there. What was there goes.
   *
   * @param make makes the file in this folder, or moves there what it made before.
   */
  async place(
    held: HeldKey,
    object: NewObject,
    make: (parent: string, made: GoogleFile | undefined) => Promise<GoogleFile>,
  ): Promise<ObjectMetadata> {
    const { objects, folders, news } = this.#options
    const { bucket, key } = held.name
    let made: GoogleFile | undefined
    for (let attempt = 0; attempt < maxPlacings; attempt++) {
      const parent = await folders.ensure(bucket, pathOfKey(key).folders)
      object.assertHeld?.()
      held.beforeChange()
      try {
        made = await make(parent, made)
      } catch (error) {
        if (!(await folders.isGone(parent))) throw error
        continue
      }
      const found = indexedFile(made)
      const row = found && withAttributes(found, object.attributes)
      const replaced = held.rows.filter((other) => other.id !== row?.id)
      const hides = replaced.map(({ id, version }) => ({ id, version: version + 1 }))
      if (row && (await objects.index.write({ ...ownWrite(row, made, object), hides }))) {
        held.afterChange()
        await this.#disposeReplaced(held, replaced)
        return factsOf(row)
      }
      // The folder is now in the trash, and this file with it.
      await news.refresh(parent)
    }
    const message = `The folder of ${bucket}/${key} keeps being removed by another client. Try again.`
    throw new DriveError('busy', message, { retryAfterSeconds: 1 })
  }

  /** The object is already published. A file that can't be removed is an older duplicate. */
  async #disposeReplaced(held: HeldKey, rows: readonly IndexedFile[]): Promise<void> {
    try {
      await this.#dispose(held, rows)
    } catch (error) {
      if (!(error instanceof DriveError)) throw error
      held.leaveForLater()
      const { name } = held
      this.#options.log.warn(
        { err: error, ...name },
        'could not remove a replaced file; will retry',
      )
    }
  }

  async #dispose(held: HeldKey, rows: readonly IndexedFile[]): Promise<void> {
    const { api, objects, deletesForGood, isUploadTarget } = this.#options
    for (const [index, { id, version }] of rows.entries()) {
      held.beforeChange()
      const isLast = deletesForGood && index === 0 && !(await isUploadTarget(id))
      if (isLast) await api.delete(id, { signal: held.signal })
      else await api.trash(id, { signal: held.signal })
      await objects.index.save([], [{ id, version: version + 1 }])
      held.afterChange()
    }
  }
}

function ownWrite(row: IndexedFile, file: GoogleFile, object: NewObject): OwnWrite {
  const { attributes, upload } = object
  const md5 = file.md5Checksum ?? ''
  const isWhole = unpackAttributes(file.appProperties, md5)?.isWhole === true
  const kept = isWhole ? undefined : { id: row.id, md5, json: JSON.stringify(attributes) }
  const published = upload && { id: upload.id, json: upload.jsonOf(row) }
  return { file: row, kept, upload: published }
}

/** For the facts of a file that the index does not show. */
function rowOf(held: HeldKey, file: GoogleFile): IndexedFile {
  const { size = 0, md5Checksum: md5 = '', modifiedAtMs, version } = file
  const before = held.current?.row
  if (before === undefined) throw new Error('a replaced object has a current row')
  return { ...before, size, md5, modifiedAtMs, version }
}
