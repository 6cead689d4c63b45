import { canCopy, changedSource } from '../../copy-source.ts'
import type { CopyOptions, CopySource, ObjectMetadata, ObjectName } from '../../drive.ts'
import { assertConditions } from '../../write-conditions.ts'
import type { GoogleApi } from '../api/google-api.ts'
import { GoogleNotFound } from '../api/google-errors.ts'
import type { GoogleFile } from '../api/google-file.ts'
import type { IndexedFile } from '../index/drive-index.ts'
import type { ObjectIndex } from '../index/object-index.ts'
import type { StagingFolder } from '../uploads/staging-folder.ts'
import type { ObjectPublisher } from './object-publisher.ts'

export interface ObjectCopierOptions {
  readonly api: GoogleApi
  readonly objects: ObjectIndex
  readonly publisher: ObjectPublisher
  readonly staging: StagingFolder
}

/**
 * Copies on Google's side. Google copies the file's current content, so the copy is created in the
 * staging folder and checked before it becomes the object.
 */
export class ObjectCopier {
  readonly #options: ObjectCopierOptions

  constructor(options: ObjectCopierOptions) {
    this.#options = options
  }

  async copy(
    source: CopySource,
    target: ObjectName,
    options: CopyOptions,
  ): Promise<ObjectMetadata | undefined> {
    const { objects, publisher } = this.#options
    const [file] = await objects.find(source.bucket, source.key)
    if (file === undefined) return undefined
    if (!canCopy(source, file.etag)) return undefined
    const isSelf = source.bucket === target.bucket && source.key === target.key
    if (isSelf) return await publisher.changeAttributes(source, source.etag, options)
    return await this.#copyStaged(file, target, options)
  }

  async #copyStaged(
    source: IndexedFile,
    target: ObjectName,
    { attributes, conditions, signal }: CopyOptions,
  ): Promise<ObjectMetadata | undefined> {
    const { objects, publisher, staging } = this.#options
    // The publisher checks them again. This check can save a copy.
    const [current] = await objects.find(target.bucket, target.key)
    assertConditions(target, current?.etag, conditions)
    const copied = await this.#copyOf(source, signal)
    if (copied === undefined) return undefined
    try {
      if (copied.md5Checksum !== source.md5) throw changedSource(target)
      return await publisher.publishStaged(target, copied, { attributes, conditions })
    } catch (error) {
      await staging.discard(copied.id, target)
      throw error
    }
  }

  async #copyOf(
    source: IndexedFile,
    signal: AbortSignal | undefined,
  ): Promise<GoogleFile | undefined> {
    const { api, staging } = this.#options
    const id = await api.newId()
    try {
      return await staging.within((folderId) =>
        api.copyFile(source.id, { id, name: id, parents: [folderId] }, { signal }),
      )
    } catch (error) {
      if (error instanceof GoogleNotFound) return undefined
      throw error
    }
  }
}
