import { hash } from 'node:crypto'
import type { ObjectMetadata, ObjectName } from '../../drive.ts'
import type { GoogleApi } from '../api/google-api.ts'
import { GoogleNotFound } from '../api/google-errors.ts'
import type { GoogleFile } from '../api/google-file.ts'
import { damaged, hasAttributes, isStored } from '../uploads/sent-file.ts'
import { packAttributes } from './attribute-properties.ts'
import type { ContentRestorer } from './content-restorer.ts'
import { mimeTypeOf, nameOf, parentsChange } from './file-metadata.ts'
import type { CurrentObject, HeldKey } from './held-key.ts'
import type { NewObject, ObjectWriter } from './object-writer.ts'

export interface SmallWriterOptions {
  readonly api: GoogleApi
  readonly writer: ObjectWriter
  readonly restorer: ContentRestorer
}

/** Total attempts to send bytes that arrive damaged. */
const maxSendings = 3

interface SmallBytes {
  readonly bytes: Uint8Array
  readonly md5: string
  /** For a file that is to be made. */
  readonly newId: string
}

/** Writes objects of few bytes, each in one call. */
export class SmallWriter {
  readonly #options: SmallWriterOptions

  constructor(options: SmallWriterOptions) {
    this.#options = options
  }

  /**
   * Writes an object into the file that is there, or into a new one. Undefined when it is an upload's
   * that was published by an earlier call and has been overwritten since.
   */
  async put(
    name: ObjectName,
    bytes: Uint8Array,
    object: NewObject,
  ): Promise<ObjectMetadata | undefined> {
    const { api, writer } = this.#options
    const { newId: notedId, earlierIds = [] } = object.upload ?? {}
    const newId = notedId ?? (await api.newId())
    return await writer.keys.hold(name, [newId], async (held) => {
      const small = { bytes, md5: hash('md5', bytes), newId }
      const { current } = held
      if (current !== undefined && earlierIds.includes(current.row.id)) {
        const isSame = current.file.md5Checksum === small.md5
        return isSame ? await writer.changeAttributes(held, current, object) : undefined
      }
      held.assert(object.conditions)
      if (current === undefined) return await this.#createSmall(held, small, object)
      try {
        const facts = await this.#replaceSmall(held, current, { ...small, object })
        if (notedId === undefined) api.giveBackId(newId)
        return facts
      } catch (error) {
        if (!(error instanceof GoogleNotFound)) throw error
        // Permanently deleted since it was checked.
        return await this.#createSmall(held, small, object)
      }
    })
  }

  async #replaceSmall(
    held: HeldKey,
    { file: before }: CurrentObject,
    { bytes, md5, object }: SmallBytes & { readonly object: NewObject },
  ): Promise<ObjectMetadata> {
    const { api, writer, restorer } = this.#options
    const { attributes } = object
    const { properties: appProperties } = packAttributes(attributes, md5, before.appProperties)
    const mimeType = mimeTypeOf(held.name, attributes)
    const metadata = { mimeType, appProperties }
    for (let attempt = 1; ; attempt++) {
      // Later, readers see damaged bytes, which must not stay.
      if (attempt === 1) object.assertHeld?.()
      held.beforeChange()
      const { id } = before
      const file = await api.uploadSmall({ id, metadata, bytes, signal: held.signal })
      const isRight = isStored(file, bytes.length, md5) && hasAttributes(file, attributes)
      // Readers already see it: damaged bytes are sent again.
      if (!isRight && attempt < maxSendings) continue
      if (!isRight) {
        await restorer.restore(before, file)
        throw damaged(file, bytes.length, md5)
      }
      return await writer.noteReplaced(held, file, object)
    }
  }

  async #createSmall(
    held: HeldKey,
    { bytes, md5, newId }: SmallBytes,
    object: NewObject,
  ): Promise<ObjectMetadata> {
    const { api, writer } = this.#options
    const { attributes } = object
    const { properties } = packAttributes(attributes, md5)
    const mimeType = mimeTypeOf(held.name, attributes)
    return await writer.place(held, object, async (parent, made) => {
      if (made !== undefined) return await this.#move(made, parent)
      const metadata = { ...nameOf(held.name), mimeType, id: newId, parents: [parent] } as const
      const appProperties = { ...properties, ...metadata.appProperties }
      const upload = { metadata: { ...metadata, appProperties }, bytes, signal: held.signal }
      const file = await api.uploadSmall(upload)
      const isRight = isStored(file, bytes.length, md5) && hasAttributes(file, attributes)
      if (isRight && file.name === metadata.name) return file
      // It is not visible yet, and must not become so.
      await api.trash(file.id)
      throw damaged(file, bytes.length, md5)
    })
  }

  async #move(file: GoogleFile, parent: string): Promise<GoogleFile> {
    return await this.#options.api.updateFile(file.id, {}, parentsChange(file, parent))
  }
}
