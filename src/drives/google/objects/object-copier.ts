import {
  type CopyOptions,
  type CopySource,
  DriveError,
  type ObjectMetadata,
  type ObjectName,
} from '../../drive.ts'
import { assertConditions } from '../../write-conditions.ts'
import type { GoogleApi } from '../api/google-api.ts'
import { GoogleNotFound } from '../api/google-errors.ts'
import type { GoogleFile } from '../api/google-file.ts'
import type { IndexedFile } from '../index/drive-index.ts'
import type { ObjectIndex } from '../index/object-index.ts'
import type { StagingFolder } from '../uploads/staging-folder.ts'
import type { ObjectWriter } from './object-writer.ts'

export interface ObjectCopierOptions {
  readonly api: GoogleApi
  readonly objects: ObjectIndex
  readonly writer: ObjectWriter
  readonly staging: StagingFolder
}

const plainMd5 = /^[0-9a-f]{32}$/

/**
 * Copies on Google's side. Google copies the file's current content: the copy is created in the
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
    const { objects } = this.#options
    const [file] = await objects.find(source.bucket, source.key)
    if (file === undefined) return undefined
    if (file.etag !== source.etag) throw changed(source)
    // Any other ETag is not an MD5 of the bytes: to get one, they must be read.
    if (!plainMd5.test(source.etag)) return undefined
    const isSelf = source.bucket === target.bucket && source.key === target.key
    return isSelf ? await this.#onto(source, options) : await this.#aside(file, target, options)
  }

  async #onto(
    source: CopySource,
    { attributes, conditions }: CopyOptions,
  ): Promise<ObjectMetadata | undefined> {
    const { writer } = this.#options
    return await writer.keys.hold(source, [], async (held) => {
      held.assert(conditions)
      if (held.current === undefined) return undefined
      if (held.current.row.etag !== source.etag) throw changed(source)
      return await writer.changeAttributes(held, held.current, { attributes })
    })
  }

  async #aside(
    source: IndexedFile,
    target: ObjectName,
    { attributes, conditions, signal }: CopyOptions,
  ): Promise<ObjectMetadata | undefined> {
    const { objects, writer, staging } = this.#options
    // Checked again under the lease; here it spares a copy in vain.
    const [there] = await objects.find(target.bucket, target.key)
    assertConditions(target, there?.etag, conditions)
    const copied = await this.#copyOf(source, signal)
    if (copied === undefined) return undefined
    try {
      if (copied.md5Checksum !== source.md5) throw changed(target)
      return await writer.keys.hold(target, [copied.id], async (held) => {
        held.assert(conditions)
        return await writer.settle(held, copied, { attributes })
      })
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
        api.copyFile(
          source.id,
          { id, name: id, parents: [folderId] },
          { ...(signal && { signal }) },
        ),
      )
    } catch (error) {
      if (error instanceof GoogleNotFound) return undefined
      throw error
    }
  }
}

function changed({ bucket, key }: ObjectName): DriveError {
  return new DriveError('changed', `${bucket}/${key}: the version to copy no longer exists.`)
}
