import { emptyMd5, finishMd5 } from '../../../../platform/checksums/md5.ts'
import type { CompleteOptions, ObjectMetadata, ObjectName, UploadDrive } from '../../drive.ts'
import { DriveError } from '../../drive-error.ts'
import { lostBytes } from '../../kit/uploads/upload-rules.ts'
import type { GoogleFile } from '../api/google-file.ts'
import { refreshFile } from '../index/apply-changes.ts'
import { indexedMetadata } from '../index/indexed-file.ts'
import { publishBytes, publishSent } from '../objects/object-publisher.ts'
import type { NewGoogleObject, PublishedUpload } from '../objects/object-writer.ts'
import type { OpenDrive } from '../open-drive.ts'
import { googlePart } from './google-part.ts'
import { discardSession, type ObjectSession } from './object-sessions.ts'
import { wholeBlocks } from './send-memory.ts'
import { endedSession, exactSession, uploadRecord } from './upload-sessions.ts'
import {
  decodeState,
  encodeState,
  findRecord,
  type GoogleUploadState,
  saveRecord,
  type UploadRecord,
} from './upload-state.ts'

/** The maximum number of uploads that one sweep checks. */
const sweepPage = 100

/** The maximum number of recorded attempts of Complete with an unknown outcome. */
const maxSmallIds = 20

/** The end of an upload, and the object that it becomes. */
interface LastPart {
  /** Bytes after the last whole block. */
  readonly carry: Uint8Array
  readonly object: NewGoogleObject & { readonly upload: PublishedUpload }
}

type Calls = Required<UploadDrive>

/** Multipart uploads: parts are sent directly to one resumable session. */
export class GoogleUploads implements UploadDrive {
  readonly #drive: OpenDrive

  constructor(drive: OpenDrive) {
    this.#drive = drive
  }

  readonly abilities: Calls['abilities'] = () => {
    const { parts: partMemory } = this.#drive.memory
    return { replaceLast: false, truncate: false, partMemory }
  }

  readonly replaceLast: Calls['replaceLast'] = async () => {
    throw new DriveError('changed', "The bytes of an upload to Google Drive can't be replaced.")
  }

  readonly begin: Calls['begin'] = async (uploadId, target) => {
    const { bucket, key } = target
    await saveRecord(this.#drive.records, uploadId, {})
    return encodeState({ id: uploadId, bucket, key, size: 0, md5: emptyMd5 })
  }

  readonly append: Calls['append'] = async (text, append) => {
    const { records } = this.#drive
    const state = decodeState(text)
    const carry = await this.#carry(state)
    await records.forgetBefore(state.id, state.size)
    return googlePart(this.#drive, { state, carry, append })
  }

  readonly complete: Calls['complete'] = async (text, options) => {
    const state = decodeState(text)
    const record = await uploadRecord(this.#drive, state.id)
    if (record.published !== undefined) return await this.#published(record.published, options)
    if (options.size !== state.size) {
      const message = `Upload ${state.id} has ${state.size} bytes, not ${options.size}`
      throw new DriveError('upload-gone', `${message}: start a new upload.`)
    }
    const { attributes, conditions, assertHeld } = options
    const object = { attributes, conditions, upload: { id: state.id }, assertHeld }
    const carry = await this.#carry(state)
    if (wholeBlocks(state.size) > 0) return await this.#publish(state, { carry, object })
    return await this.#putSmall(state, record, { carry, object })
  }

  readonly isPublished: Calls['isPublished'] = async (text) => {
    const state = decodeState(text)
    const { records } = this.#drive
    const { published, session, isEnding, isDamaged } = (await findRecord(records, state.id)) ?? {}
    if (published !== undefined) return true
    if (session === undefined || !isEnding || isDamaged) return false
    // After a crash before the record was saved, the file shows the outcome.
    const file = await this.#whatBecameOf(state, session)
    if (file === undefined) return false
    await refreshFile(this.#drive, session.fileId)
    const revision = file.headRevisionId ?? ''
    await saveRecord(records, state.id, { published: { fileId: file.id, revision } })
    return true
  }

  /** The file, if the session has ended and its bytes were published. */
  async #whatBecameOf(
    state: GoogleUploadState,
    { url, fileId, isNew }: ObjectSession,
  ): Promise<GoogleFile | undefined> {
    const { api, staging } = this.#drive
    const answer = await api.querySession(url)
    if (answer.kind !== 'done' || answer.file.size !== state.size) return undefined
    if (isNew) return (await staging.whereIs(fileId)) === 'here' ? undefined : answer.file
    const md5 = finishMd5(state.md5, await this.#carry(state), state.size)
    return answer.file.md5Checksum === md5 ? answer.file : undefined
  }

  readonly abort: Calls['abort'] = async (text) => {
    const state = decodeState(text)
    await this.#remove(state.id, state)
  }

  readonly sweep: Calls['sweep'] = async (isKnown, olderThanMs) => {
    const { records, staging, now } = this.#drive
    const beforeMs = now() - olderThanMs
    for (const id of await records.idle(beforeMs, sweepPage)) {
      if (!(await isKnown(id))) await this.#remove(id)
    }
    for (const file of await staging.files()) {
      // The file of a session that has just ended may have been created when the upload began.
      const isOld = Math.max(file.createdAtMs, file.modifiedAtMs) <= beforeMs
      if (isOld && !(await records.isTarget(file.id))) await staging.discard(file.id)
    }
  }

  /**
   * For less than a block. The new file's id is recorded first, so that a retry recognizes the
   * file.
   */
  async #putSmall(
    state: GoogleUploadState,
    record: UploadRecord,
    { carry, object }: LastPart,
  ): Promise<ObjectMetadata | undefined> {
    const { api, records } = this.#drive
    const earlierIds = record.smallIds?.slice(-maxSmallIds) ?? []
    const newId = await api.newId()
    await saveRecord(records, state.id, { ...record, smallIds: [...earlierIds, newId] })
    const upload = { ...object.upload, newId, earlierIds }
    const metadata = await publishBytes(this.#drive, state, carry, { ...object, upload })
    if (record.session !== undefined) await discardSession(this.#drive, record.session)
    return metadata
  }

  async #publish(
    state: GoogleUploadState,
    { carry, object }: LastPart,
  ): Promise<ObjectMetadata | undefined> {
    const { size } = state
    const ended = await endedSession(this.#drive, state)
    const session = ended?.session ?? (await exactSession(this.#drive, state))
    if (session === undefined) throw new Error('an upload of whole blocks has a session')
    const md5 = finishMd5(state.md5, carry, size)
    const sent = { session, carry, size, md5, hasEnded: ended?.how }
    return await publishSent(this.#drive, state, sent, object)
  }

  async #published(
    { fileId, revision }: NonNullable<UploadRecord['published']>,
    { target }: CompleteOptions,
  ): Promise<ObjectMetadata | undefined> {
    const [file] = await this.#drive.objects.find(target.bucket, target.key)
    return file?.id === fileId && file.revision === revision ? indexedMetadata(file) : undefined
  }

  /** @throws DriveError `upload-gone` if the bytes are not in the database. */
  async #carry({ id, size }: GoogleUploadState): Promise<Uint8Array> {
    const length = size - wholeBlocks(size)
    const bytes = length === 0 ? '' : await this.#drive.records.carry(id, size)
    const carry = Buffer.from(bytes ?? '', 'base64')
    if (carry.length === length) return carry
    throw lostBytes()
  }

  async #remove(uploadId: string, name?: ObjectName): Promise<void> {
    const { records } = this.#drive
    const record = await findRecord(records, uploadId)
    if (record === undefined) return
    const { session, source, published } = record
    const open = published === undefined ? [session, source?.session] : []
    for (const one of open) {
      if (one !== undefined) await discardSession(this.#drive, one, name)
    }
    await records.remove(uploadId)
  }
}
