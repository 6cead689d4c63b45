/** Revisions of a file: `/files/{id}/revisions/{revision}`. */
import type { Call, Handler } from '../call.ts'
import { findFile } from '../file-operations.ts'
import type { FileRecord, Revision } from '../file-record.ts'
import { GoogleError, invalidValue } from '../google-error.ts'
import { contentReply } from './read-files.ts'

/** "You can only download blob file content revisions marked as Keep Forever" (guides/manage-revisions). */
export const downloadRevision: Handler = (call) => {
  const { revision } = revisionOf(call)
  if (revision.isKept !== true) {
    const message = 'Only revisions that are kept forever can be downloaded.'
    throw new GoogleError('fileNotDownloadable', { message })
  }
  return contentReply(call, revision.content, revision.mimeType)
}

export const getRevision: Handler = (call) => ({
  status: 200,
  json: jsonOf(revisionOf(call).revision),
})

/** Sets or clears "keep forever". */
export const patchRevision: Handler = async (call) => {
  const { record, revision } = revisionOf(call)
  const { keepForever, ...others } = await call.body.json()
  const isAsked = typeof keepForever === 'boolean' && Object.keys(others).length === 0
  if (!isAsked) throw invalidValue('keepForever')
  const changed = { ...revision, isKept: keepForever }
  const revisions = record.revisions.map((one) => (one.id === revision.id ? changed : one))
  if (revisions.filter((one) => one.isKept === true).length > mostKept) {
    throw new GoogleError('badRequest', { message: 'Too many revisions are kept forever.' })
  }
  call.account.files.put({ ...record, revisions })
  return { status: 200, json: jsonOf(changed) }
}

const mostKept = 200

function revisionOf(call: Call): { record: FileRecord; revision: Revision } {
  const [fileId = '', , revisionId = ''] = call.id.split('/')
  const record = findFile(call.account, fileId, call.query)
  const revision = record.revisions.find(({ id }) => id === revisionId)
  if (revision !== undefined) return { record, revision }
  const message = `Revision not found: ${revisionId}.`
  throw new GoogleError('notFound', { message, location: 'revisionId' })
}

function jsonOf({ id, mimeType, modifiedAtMs, content, isKept = false }: Revision): object {
  const modifiedTime = new Date(modifiedAtMs).toISOString()
  const facts = { size: String(content.size), md5Checksum: content.md5, keepForever: isKept }
  return { kind: 'drive#revision', id, mimeType, modifiedTime, ...facts }
}
