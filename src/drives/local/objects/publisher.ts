import type { Attributes } from '../../attributes.ts'
import {
  DriveError,
  type ObjectMetadata,
  type RemovalConditions,
  type WriteConditions,
} from '../../drive.ts'
import { assertRemovalConditions, versionOf } from '../../write-conditions.ts'
import type { FolderJournal } from '../folders/folder-journal.ts'
import type { LocalFolderMaker, MadeName } from '../folders/folder-maker.ts'
import type { FolderSync } from '../folders/folder-sync.ts'
import type { OpenFolder } from '../folders/open-folder.ts'
import { type LocalRoot, requireOwnFolder } from '../local-root.ts'
import type { FilePath, ObjectPath } from '../object-path.ts'
import { allDone } from './all-done.ts'
import type { AttributeCache, KnownFile } from './attribute-cache.ts'
import type { OpenFence } from './fence.ts'
import type { KeyLocks } from './key-locks.ts'
import type { FileStamp, ObjectFiles } from './object-files.ts'
import { type PutDone, type PutOrder, putFile, type Taken, takeFile } from './put-file.ts'

/** Attempts while other programs change the files of an object whose lock a writer holds. */
const attempts = 16

/** A complete file that is to become an object. */
export interface LocalPublication extends Omit<PutOrder, 'fence' | 'identity'> {
  readonly attributes: Attributes
  /** Gives the file its final form and returns the result. */
  shape(): Promise<FileStamp>
  /** Makes the file durable in that form. */
  flush(): Promise<void>
  /**
   * Whether to shape the file under the key's lock, when the conditions are known to hold: shaping
   * removes bytes that would be needed if a condition failed later.
   */
  readonly shapesLate?: boolean
}

/** The folders created for an object path, and its open folder until the file is moved into it. */
interface Way {
  readonly made: readonly MadeName[]
  folder: OpenFolder | undefined
}

export interface LocalPublisherParts {
  readonly root: LocalRoot
  readonly files: ObjectFiles
  readonly known: AttributeCache
  readonly locks: KeyLocks
  readonly folders: LocalFolderMaker
  readonly journal: FolderJournal
  readonly sync: FolderSync
}

/** Publishes and removes objects: the only code that changes the file of a key. */
export class Publisher {
  readonly #parts: LocalPublisherParts

  constructor(parts: LocalPublisherParts) {
    this.#parts = parts
  }

  /** As Draft.publish. */
  async publish(publication: LocalPublication): Promise<ObjectMetadata> {
    const { objectPath } = publication
    const { folder, made, entry } = await this.#parts.folders.ensure(objectPath, objectPath.natural)
    const way: Way = { made, folder }
    try {
      return await this.#publishIn(publication, way)
    } catch (error) {
      if (made.length > 0) await this.#parts.folders.unmake(objectPath, objectPath.natural, made)
      throw error
    } finally {
      await way.folder?.close()
      await entry?.close()
    }
  }

  async #publishIn(publication: LocalPublication, way: Way): Promise<ObjectMetadata> {
    const { file, done } = await this.#put(publication, way)
    // The file is the object now: its attributes must stay even if a later step fails.
    await this.#finish(publication.objectPath, done)
    const { size, modifiedAtMs } = file
    return { size, modifiedAtMs, attributes: publication.attributes }
  }

  /** Repeats `putFile` until it succeeds. */
  async #put(
    publication: LocalPublication,
    way: Way,
  ): Promise<{ readonly file: KnownFile; readonly done: PutDone }> {
    const { objectPath } = publication
    const { made } = way
    let file = publication.shapesLate ? undefined : await this.#seal(publication, made)
    let isPublished = false
    try {
      for (let attempt = 0; attempt < attempts; attempt++) {
        const { sealed, result } = await this.#parts.locks.hold(objectPath.path, async (fence) => {
          await this.#require(objectPath, publication.conditions)
          const sealed = file ?? (await this.#seal(publication, made))
          const { folder } = way
          way.folder = undefined
          const order = { ...publication, identity: sealed.identity, fence }
          const result = await putFile(this.#parts.root, order, folder)
          isPublished = result.kind === 'done'
          return { sealed, result }
        })
        file = sealed
        if (result.kind === 'done') return { file: sealed, done: result }
        if (result.kind === 'missing') await this.#remake(publication, result.filePath, sealed)
      }
    } catch (error) {
      if (file !== undefined && !isPublished) await this.#forgetUnlessThere(objectPath, file)
      throw error
    }
    throw new DriveError(
      'busy',
      'The object at this key keeps being changed by another client. Try again.',
    )
  }

  /**
   * A call that seemed to fail may have published the file: without its record, it would lose its attributes. If that
   * can't be found out, a record of no file does no harm.
   */
  async #forgetUnlessThere(objectPath: ObjectPath, file: KnownFile): Promise<void> {
    const present = await this.#parts.files.head(objectPath).catch(() => 'unknown' as const)
    if (present === 'unknown' || present?.file.identity === file.identity) return
    this.#parts.known.forget(file.identity)
  }

  /** As Drive.remove. */
  async remove(objectPath: ObjectPath, conditions: WriteConditions | undefined): Promise<boolean> {
    const entry = this.#parts.journal.open()
    try {
      if (objectPath.natural.folder !== objectPath.bucket) {
        await entry.note({ bucket: objectPath.bucket, key: objectPath.key, making: [] })
      }
      return await this.#removeFrom(objectPath, conditions)
    } finally {
      await entry.close()
    }
  }

  async #removeFrom(
    objectPath: ObjectPath,
    conditions: RemovalConditions | undefined,
  ): Promise<boolean> {
    const { root, folders, locks } = this.#parts
    const taken = await locks.hold(objectPath.path, async (fence) => {
      await this.#require(objectPath, conditions)
      const moved = await this.#takeBoth(objectPath, fence)
      if (moved.length === 0 && needsObject(conditions)) throw removedMeanwhile()
      return moved
    })
    if (taken.length === 0) await requireOwnFolder(root)
    for (const { filePath, folder, gone } of taken) {
      await this.#makeDurable(folder)
      if (gone !== undefined) this.#parts.known.forget(gone)
      // The object is deleted: a folder that cannot be removed now must not fail the request.
      await folders.unmake(objectPath, filePath, [])
    }
    return taken.length > 0
  }

  /**
   * If both files exist, the natural one is the object. It is removed last, so that the other one
   * never becomes visible.
   */
  async #takeBoth({ natural, alternative }: ObjectPath, fence: OpenFence): Promise<Taken[]> {
    const { root } = this.#parts
    const hidden = await takeFile(root, alternative, { fence })
    try {
      const shown = await takeFile(root, natural, { fence })
      return [hidden, shown].filter((one) => one !== undefined)
    } catch (error) {
      await hidden?.folder.close()
      throw error
    }
  }

  async #finish(objectPath: ObjectPath, { folder, gone, stale }: PutDone): Promise<void> {
    if (gone !== undefined) this.#parts.known.forget(gone)
    if (stale?.gone !== undefined) this.#parts.known.forget(stale.gone)
    const other = stale?.folder === folder ? undefined : stale
    // Waits for both: each closes its folder.
    await allDone([this.#makeDurable(folder), other && this.#makeDurable(other.folder)])
    if (other !== undefined) await this.#parts.folders.unmake(objectPath, other.filePath, [])
  }

  async #makeDurable(folder: OpenFolder): Promise<void> {
    try {
      await this.#parts.sync.makeDurable(folder)
    } finally {
      await folder.close()
    }
  }

  /** Creates a folder that was removed as empty before the file was in it, or is needed only now. */
  async #remake(publication: LocalPublication, filePath: FilePath, file: KnownFile): Promise<void> {
    const { known, folders } = this.#parts
    const { folder, made, entry } = await folders.ensure(publication.objectPath, filePath)
    try {
      await folder.close()
      if (made.length > 0) await known.save(file, publication.attributes, identitiesOf(made))
    } finally {
      await entry?.close()
    }
  }

  /** Makes the bytes and the attributes durable, before the object becomes visible. */
  async #seal(publication: LocalPublication, made: readonly MadeName[]): Promise<KnownFile> {
    const { objectPath, attributes } = publication
    const file = { ...(await publication.shape()), path: objectPath.path }
    await allDone([
      publication.flush(),
      this.#parts.known.save(file, attributes, identitiesOf(made)),
    ])
    return file
  }

  async #require(objectPath: ObjectPath, conditions: RemovalConditions | undefined): Promise<void> {
    if (conditions === undefined || !isConditional(conditions)) return
    const present = await this.#parts.files.head(objectPath)
    assertRemovalConditions(objectPath, versionOf(present?.metadata), conditions)
  }
}

/** Whether the conditions hold only if there is an object. */
function needsObject({ ifMatch, ifModifiedAtMs }: RemovalConditions = {}): boolean {
  return ifMatch !== undefined || ifModifiedAtMs !== undefined
}

/** The lock was taken over since the conditions held, or the file was removed by hand. */
function removedMeanwhile(): DriveError {
  const message = 'Another client removed the object at this moment. Try again.'
  return new DriveError('busy', message, { retryAfterSeconds: 1 })
}

function isConditional(conditions: RemovalConditions | undefined): boolean {
  return Object.values(conditions ?? {}).some((one) => one !== undefined)
}

function identitiesOf(made: readonly MadeName[]): string[] {
  return made.map(({ identity }) => identity)
}
