import type { Md5State } from '../../../../platform/checksums/md5.ts'
import { parsedJson } from '../../../../platform/text/json-text.ts'
import type { ObjectName } from '../../drive.ts'
import type { UploadRecords } from '../../kit/uploads/drive-upload-table.ts'
import { foreignState } from '../../kit/uploads/upload-rules.ts'
import type { ObjectSession } from './object-sessions.ts'

/** An upload's committed state, stored by the caller. */
export interface GoogleUploadState extends ObjectName {
  readonly id: string
  /** Committed bytes. */
  readonly size: number
  /** MD5 of their whole blocks of 256 KiB. */
  readonly md5: Md5State
}

/** The part of an upload's state that the drive stores. */
export interface UploadRecord {
  /** Absent until the first whole block. */
  readonly session?: ObjectSession
  /** A staged file whose beginning must be copied to the session. */
  readonly source?: { readonly fileId: string; readonly session: ObjectSession }
  /** Whether a request to end the session was sent. */
  readonly isEnding?: boolean
  /** Whether the bytes at Google differ from the bytes that were sent. */
  readonly isDamaged?: boolean
  /** Files of attempts to complete an upload of less than a block, newest last. */
  readonly smallIds?: readonly string[]
  /** The file that it was published as, and its revision. */
  readonly published?: { readonly fileId: string; readonly revision: string }
}

export function encodeState(state: GoogleUploadState): string {
  return JSON.stringify(state)
}

/** @throws DriveError `upload-gone` for the state of another drive, as after a change of DRIVE. */
export function decodeState(text: string): GoogleUploadState {
  const { id, bucket, key, size, md5 } = (parsedJson(text) ?? {}) as Partial<GoogleUploadState>
  const isWhole = id && bucket && key && typeof size === 'number' && md5
  if (isWhole) return { id, bucket, key, size, md5 }
  throw foreignState()
}

/** Undefined when the upload is not known. */
export async function findRecord(
  records: UploadRecords,
  uploadId: string,
): Promise<UploadRecord | undefined> {
  const json = await records.find(uploadId)
  return json === undefined ? undefined : (JSON.parse(json) as UploadRecord)
}

export async function saveRecord(
  records: UploadRecords,
  uploadId: string,
  record: UploadRecord,
): Promise<void> {
  const fileIds = [record.session?.fileId, record.source?.fileId].filter((id) => id !== undefined)
  await records.save(uploadId, { json: JSON.stringify(record), fileIds })
}

/** The record of an upload that was published as this revision of a file. */
export function publishedRecord({ id, revision }: { id: string; revision: string }): string {
  return JSON.stringify({ published: { fileId: id, revision } } satisfies UploadRecord)
}
