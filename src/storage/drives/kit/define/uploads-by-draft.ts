import { parsedJson } from '../../../../platform/text/json-text.ts'
import type { ObjectMetadata, ObjectName, PartDraft, UploadDrive } from '../../drive.ts'
import { metadataOf } from '../open-objects.ts'
import { StagedBytes, type StagedUploads } from '../uploads/staged-uploads.ts'
import {
  alreadyPublished,
  endingPart,
  foreignState,
  requireSame,
  requireUploadId,
} from '../uploads/upload-rules.ts'
import type { CoreDraft, CoreObject, DraftPublisher } from './drive-core.ts'

/** The state of an upload, which the caller stores as JSON. */
interface UploadState {
  readonly id: string
  /** The state of the upload to the staging directory. */
  readonly staged: string
}

/** A note of `complete`, from before it publishes until the upload is aborted or swept. */
interface CompletionNote {
  readonly target: ObjectName
  /** The object before that. If it is still there and not from this upload, nothing was published. */
  readonly before?: Pick<ObjectMetadata, 'modifiedAtMs'> & { readonly etag: string }
}

/** `metadata` is undefined if the object was overwritten or removed since. */
interface Published {
  readonly metadata: ObjectMetadata | undefined
}

type Calls = Required<UploadDrive>

/**
 * Uploads of a drive that has only drafts: parts are collected in a staging directory of this machine, and written
 * to the drive when the upload is completed. All parts of an upload must arrive at the same machine.
 */
export class UploadsByDraft implements UploadDrive {
  readonly #bytes: StagedBytes
  readonly #publisher: DraftPublisher

  constructor(staging: StagedUploads, publisher: DraftPublisher) {
    this.#bytes = new StagedBytes(staging)
    this.#publisher = publisher
  }

  readonly abilities: Calls['abilities'] = (text) => {
    return this.#bytes.abilities(parse(text).staged)
  }

  readonly begin: Calls['begin'] = async (uploadId) => {
    requireUploadId(uploadId)
    return format({ id: uploadId, staged: await this.#bytes.begin(uploadId) })
  }

  readonly append: Calls['append'] = async (text, options) => {
    const { id, staged } = await this.#reopened(text)
    return partOf(id, await this.#bytes.append(id, staged, options))
  }

  readonly replaceLast: Calls['replaceLast'] = async (text, options) => {
    const { id, staged } = await this.#reopened(text)
    return partOf(id, await this.#bytes.replaceLast(id, staged, options))
  }

  readonly complete: Calls['complete'] = async (text, options) => {
    const { id, staged } = parse(text)
    const { target, size, attributes, conditions, assertHeld } = options
    const published = await this.#published(id)
    if (published !== undefined) {
      if (published.metadata !== undefined) requireSame(published.metadata, options)
      return published.metadata
    }
    const object = await this.#bytes.open(id, staged, size)
    let draft: CoreDraft | undefined
    let isNoted = false
    try {
      draft = await this.#publisher.draft(target, { size })
      for await (const chunk of object.read(0, size)) await draft.write(chunk)
      const metadata = await this.#publisher.publish(draft, target, {
        ...{ attributes, conditions, uploadId: id },
        before: async (current) => {
          assertHeld?.()
          await this.#bytes.writeNote(id, JSON.stringify({ target, before: versionIn(current) }))
          assertHeld?.()
          isNoted = true
        },
      })
      await this.#bytes.remove(id, staged)
      return metadata
    } catch (error) {
      // The key is unchanged. The note of another process, which may have taken over the upload, stays.
      if (isNoted) await this.#bytes.removeNote(id)
      throw error
    } finally {
      try {
        await draft?.discard()
      } finally {
        await object.close()
      }
    }
  }

  readonly isPublished: Calls['isPublished'] = async (text) => {
    return (await this.#published(parse(text).id)) !== undefined
  }

  readonly abort: Calls['abort'] = async (text) => {
    const { id, staged } = parse(text)
    await this.#bytes.remove(id, staged)
    await this.#bytes.removeNote(id)
  }

  readonly sweep: Calls['sweep'] = (isKnown, olderThanMs) => {
    return this.#bytes.sweep(isKnown, olderThanMs)
  }

  /** Undefined if no `complete` has published the upload. */
  async #published(id: string): Promise<Published | undefined> {
    const note = parsedJson((await this.#bytes.readNote(id)) ?? '') as CompletionNote | undefined
    if (note === undefined) return undefined
    const current = await this.#publisher.head(note.target)
    if (current?.uploadId === id) {
      return { metadata: metadataOf(current) }
    }
    const isAsBefore = JSON.stringify(versionIn(current)) === JSON.stringify(note.before)
    // If a process was killed, it is unknown whether it had published an object that has been overwritten since.
    return isAsBefore && (await this.#bytes.areThere(id)) ? undefined : { metadata: undefined }
  }

  /** @throws DriveError `upload-gone` if the upload is published */
  async #reopened(text: string): Promise<UploadState> {
    const state = parse(text)
    if ((await this.#published(state.id)) === undefined) return state
    throw alreadyPublished()
  }
}

function versionIn(object: CoreObject | undefined): CompletionNote['before'] {
  return object && { etag: object.attributes.etag, modifiedAtMs: object.modifiedAtMs }
}

function partOf(id: string, part: PartDraft): PartDraft {
  return endingPart({
    write: (chunk) => part.write(chunk),
    commit: async () => format({ id, staged: await part.commit() }),
    discard: () => part.discard(),
  })
}

function format(state: UploadState): string {
  return JSON.stringify(state)
}

/** @throws DriveError `upload-gone` for the state of another drive */
function parse(text: string): UploadState {
  const state = parsedJson(text) as Partial<UploadState> | undefined
  requireUploadId(state?.id)
  if (typeof state?.staged !== 'string') throw foreignState()
  return state as UploadState
}
