import type { Handler } from '../call.ts'
import { readMetadata } from '../file-metadata.ts'
import { copyFile, createFile, deleteFile, updateFile } from '../file-operations.ts'
import { callFileReply, fileMask } from './shaped-reply.ts'

/** A file without bytes, a folder or a shortcut. */
export const createFromMetadata: Handler = async (call) => {
  const { query, caller, account } = call
  const metadata = readMetadata(await call.body.json(), 'create')
  fileMask(query)
  return await callFileReply(call, createFile(account, { metadata, query, caller }))
}

export const patchFile: Handler = async (call) => {
  const { query, caller, account } = call
  const metadata = readMetadata(await call.body.json(), 'update')
  fileMask(query)
  return await callFileReply(call, updateFile(account, call.id, { metadata, query, caller }))
}

export const copy: Handler = async (call) => {
  const { query, caller, account } = call
  const metadata = readMetadata(await call.body.json(), 'create')
  fileMask(query)
  const id = call.id.replace(/\/copy$/, '')
  return await callFileReply(call, copyFile(account, id, { metadata, query, caller }))
}

export const removeFile: Handler = ({ account, id, query }) => {
  deleteFile(account, id, query)
  return { status: 204 }
}

/** Empties the trash of one drive. Default: My Drive. */
export const emptyTrash: Handler = ({ account: { files }, query }) => {
  const driveId = query.get('driveId') ?? undefined
  const trashed = [...files.records().values()].filter(
    (record) => record.isTrashed && record.driveId === driveId,
  )
  for (const { id } of trashed) files.remove(id)
  return { status: 204 }
}
