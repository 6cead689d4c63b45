import fs from 'node:fs'
import type { Attributes } from '../../attributes.ts'
import { DriveError, type ObjectMetadata } from '../../drive.ts'
import type { FolderSync } from '../folders/folder-sync.ts'
import { OpenFolder } from '../folders/open-folder.ts'
import { type LocalRoot, newTempPath, requireOwnFolder } from '../local-root.ts'
import { joinFilePath, type ObjectPath } from '../object-path.ts'
import { allDone } from '../objects/all-done.ts'
import type { AttributeCache } from '../objects/attribute-cache.ts'
import { uniqueTimeMs } from '../objects/file-identity.ts'
import type { KeyLocks, LockPaths } from '../objects/key-locks.ts'
import type { FileStamp } from '../objects/object-files.ts'
import { fsyncFile } from '../objects/paced-files.ts'
import type { Publisher } from '../objects/publisher.ts'
import type { SmallWrites } from './small-writes.ts'
import type { MovedFile, PublishOutcome } from './write-jobs.ts'

export interface SmallPublisherParts {
  readonly root: LocalRoot
  readonly known: AttributeCache
  readonly locks: KeyLocks
  readonly sync: FolderSync
  readonly writes: SmallWrites
  readonly publisher: Publisher
}

/** An unconditional write of a small object. */
export interface SmallObject {
  readonly objectPath: ObjectPath
  readonly bytes: Uint8Array
  readonly attributes: Attributes
}

/**
 * Publishes small objects with the thread of `SmallWrites`. What is not the common case, such as a folder
 * that does not exist, is left to `Publisher`.
 */
export class SmallPublisher {
  readonly #parts: SmallPublisherParts

  constructor(parts: SmallPublisherParts) {
    this.#parts = parts
  }

  /**
   * As Draft.publish.
   * @param stepByStep publishes the object without the thread
   */
  publish(small: SmallObject, stepByStep: () => Promise<ObjectMetadata>): Promise<ObjectMetadata> {
    const { writes } = this.#parts
    return writes.count(async () => {
      const isUsable = writes.isReady && (await this.#hasFolder(small.objectPath))
      const metadata = isUsable ? await this.#publishInThread(small) : undefined
      return metadata ?? (await stepByStep())
    })
  }

  /** Without it, the record would be saved twice: the second time with the folders that are created. */
  async #hasFolder({ natural }: ObjectPath): Promise<boolean> {
    const { root } = this.#parts
    return (await root.files.lstat(`${root.path}/${natural.folder}`)) !== undefined
  }

  /** Undefined, with nothing left behind, when the thread could not write the file. */
  async #publishInThread(small: SmallObject): Promise<ObjectMetadata | undefined> {
    const { root, known, writes } = this.#parts
    const path = newTempPath(root)
    const sealed = await writes.seal({ path, bytes: small.bytes, modifiedAtMs: uniqueTimeMs() })
    if (sealed === undefined) return undefined
    try {
      await allDone([this.#flush(sealed.fd), this.#save(small, sealed.stamp)])
      return await this.#publishSealed(small, path, sealed.stamp)
    } catch (error) {
      // The record must stay if the file was moved. The sweep at the next start removes what remains.
      await fs.promises.unlink(path).then(
        () => known.forget(sealed.stamp.identity),
        () => undefined,
      )
      throw error
    }
  }

  async #flush(fd: number | undefined): Promise<void> {
    if (fd === undefined) return
    try {
      await fsyncFile(fd)
    } finally {
      await this.#parts.root.files.close(fd)
    }
  }

  async #save({ objectPath, attributes }: SmallObject, stamp: FileStamp): Promise<void> {
    await this.#parts.known.save({ ...stamp, path: objectPath.path }, attributes, [])
  }

  async #publishSealed(
    { objectPath, attributes }: SmallObject,
    path: string,
    stamp: FileStamp,
  ): Promise<ObjectMetadata> {
    const { known, locks, publisher } = this.#parts
    const moved = await locks.inTurn(objectPath.path, (lock) => this.#move(objectPath, path, lock))
    if (moved === undefined) {
      const shape = () => Promise.resolve(stamp)
      const flush = () => Promise.resolve()
      return publisher.publish({
        objectPath,
        path,
        attributes,
        conditions: undefined,
        shape,
        flush,
      })
    }
    // The file is the object now: its attributes must stay even if a later step fails.
    if (moved.gone !== undefined) known.forget(moved.gone)
    await this.#makeDurable(objectPath, moved)
    return { size: stamp.size, modifiedAtMs: stamp.modifiedAtMs, attributes }
  }

  async #move(
    { natural, alternative }: ObjectPath,
    path: string,
    lock: LockPaths,
  ): Promise<PublishOutcome['moved']> {
    const { root, writes, locks } = this.#parts
    const { holder } = lock
    if (holder === undefined) return undefined
    const job = {
      ...{ path, name: natural.name, lock: { holder, path: lock.path } },
      folder: `${root.path}/${natural.folder}`,
      alternative: `${root.path}/${joinFilePath(alternative)}`,
    }
    const outcome = await writes.publish(job).catch(async (error: unknown) => {
      await locks.dropOwn(lock)
      const message = 'The thread that writes small objects ended. Send the request again.'
      throw new DriveError('unavailable', message, { cause: error })
    })
    if (outcome.isLocked) await locks.dropOwn(lock)
    return outcome.moved
  }

  async #makeDurable({ natural }: ObjectPath, { synced, syncError }: MovedFile): Promise<void> {
    const { root, sync } = this.#parts
    if (syncError !== undefined) {
      throw Object.assign(new Error('The folder could not be synced.'), { code: syncError })
    }
    if (synced !== undefined && sync.isReachable(synced)) return
    const folder = await OpenFolder.open(root, natural.folder)
    // A folder that was removed was empty: so the object was removed too. But it may seem removed because
    // the drive is not mounted.
    if (folder === undefined) return await requireOwnFolder(root)
    try {
      await sync.makeDurable(folder)
    } finally {
      await folder.close()
    }
  }
}
