import { z } from 'zod'
import { DriveError } from '../../drive.ts'
import { creating } from './creating.ts'
import type { Call } from './google-calls.ts'
import {
  type CallOptions,
  fileUrl,
  type GoogleContext,
  jsonType,
  supported,
  urlOf,
} from './google-context.ts'
import { GoogleNotFound } from './google-errors.ts'
import {
  type FileMetadata,
  type FilePage,
  fileFields,
  filePageSchema,
  type GoogleFile,
  googleFileSchema,
  metadataJson,
} from './google-file.ts'

export interface ListFilesQuery extends CallOptions {
  /** In Drive's query language; see `quoted`. */
  readonly q?: string
  readonly pageToken?: string | undefined
  /** At most 1,000, which is the default. */
  readonly pageSize?: number
}

export interface UpdateOptions extends CallOptions {
  readonly addParents?: readonly string[]
  readonly removeParents?: readonly string[]
}

/** Drive copies while we wait; a file may have many GB. */
const copyMs = 300_000

export async function listFiles(
  { calls, endpoints, sharedDriveId }: GoogleContext,
  { q, pageToken, pageSize = 1000, signal }: ListFilesQuery,
): Promise<FilePage> {
  const url = urlOf(`${endpoints.api}/files`, {
    ...supported,
    includeItemsFromAllDrives: 'true',
    corpora: sharedDriveId === undefined ? 'user' : 'drive',
    driveId: sharedDriveId,
    spaces: 'drive',
    q,
    pageToken,
    pageSize: String(pageSize),
    fields: `nextPageToken,incompleteSearch,files(${fileFields})`,
  })
  const hasPageToken = pageToken !== undefined
  // A folder of the query that is gone is a 404.
  const fileId = 'of the listed folder'
  const page = await calls.json(
    { doing: 'list files', method: 'GET', url, cost: 'list', fileId, hasPageToken, signal },
    filePageSchema,
  )
  // What is missing may exist (reference of files.list, `incompleteSearch`).
  if (page.isIncomplete) {
    throw new DriveError('unavailable', 'Google Drive returned an incomplete list. Try again.')
  }
  return page
}

export async function createFile(
  context: GoogleContext,
  metadata: FileMetadata,
  { signal }: CallOptions,
): Promise<GoogleFile> {
  const id = metadata.id ?? (await context.ids.next())
  const call: Call = {
    doing: 'create a file',
    method: 'POST',
    url: urlOf(`${context.endpoints.api}/files`, { ...supported, fields: fileFields }),
    cost: 'update',
    fileId: metadata.parents?.[0],
    newId: id,
    signal,
  }
  const send = () => sendMetadata(context, call, { ...metadata, id })
  return await creating(context, { id, signal }, send)
}

export function updateFile(
  context: GoogleContext,
  id: string,
  patch: FileMetadata,
  { addParents, removeParents, signal }: UpdateOptions,
): Promise<GoogleFile> {
  const url = fileUrl(context, id, {
    addParents: addParents?.join(','),
    removeParents: removeParents?.join(','),
    fields: fileFields,
  })
  const call: Call = {
    doing: 'change a file',
    method: 'PATCH',
    url,
    cost: 'update',
    fileId: id,
    signal,
  }
  return sendMetadata(context, call, patch)
}

export async function copyFile(
  context: GoogleContext,
  sourceId: string,
  metadata: FileMetadata,
  { signal }: CallOptions,
): Promise<GoogleFile> {
  const id = metadata.id ?? (await context.ids.next())
  const call: Call = {
    doing: 'copy a file',
    method: 'POST',
    url: fileUrl(context, sourceId, { fields: fileFields }, '/copy'),
    cost: 'update',
    callMs: copyMs,
    isUpload: true,
    fileId: sourceId,
    newId: id,
    signal,
  }
  const send = () => sendMetadata(context, call, { ...metadata, id })
  return await creating(context, { id, signal }, send)
}

export function trash(
  context: GoogleContext,
  id: string,
  { signal }: CallOptions,
): Promise<boolean> {
  return removal(context, {
    doing: 'move a file to the trash',
    method: 'PATCH',
    url: fileUrl(context, id, { fields: 'id' }),
    headers: jsonType,
    body: JSON.stringify({ trashed: true }),
    cost: 'update',
    fileId: id,
    signal,
  })
}

export function deleteFile(
  context: GoogleContext,
  id: string,
  { signal }: CallOptions,
): Promise<boolean> {
  const url = fileUrl(context, id, {})
  return removal(context, {
    doing: 'delete a file',
    method: 'DELETE',
    url,
    cost: 'update',
    fileId: id,
    signal,
  })
}

export interface Keeping extends CallOptions {
  /** GoogleFile.headRevisionId of former bytes. */
  readonly revisionId: string
  readonly isKept: boolean
}

/**
 * Former bytes can be downloaded only while they are marked to be kept for ever, which 200 of a file
 * can be; they count to the storage until then
 * (developers.google.com/workspace/drive/api/guides/manage-revisions).
 */
export async function keepRevision(
  context: GoogleContext,
  id: string,
  { revisionId, isKept, signal }: Keeping,
): Promise<void> {
  const call: Call = {
    doing: 'pin or unpin a revision',
    method: 'PATCH',
    url: fileUrl(context, id, { fields: 'id' }, `/revisions/${encodeURIComponent(revisionId)}`),
    headers: jsonType,
    body: JSON.stringify({ keepForever: isKept }),
    cost: 'update',
    fileId: id,
    signal,
  }
  await context.calls.run(call, (answer) => answer.drain())
}

const idsAnswer = z.object({ ids: z.array(z.string().min(1)).min(1) })

export async function generateIds(
  { calls, endpoints }: Pick<GoogleContext, 'calls' | 'endpoints'>,
  count: number,
  { signal }: CallOptions,
): Promise<readonly string[]> {
  const url = urlOf(`${endpoints.api}/files/generateIds`, {
    count: String(count),
    space: 'drive',
    fields: 'ids',
  })
  const call: Call = { doing: 'generate file IDs', method: 'GET', url, cost: 'other', signal }
  return (await calls.json(call, idsAnswer)).ids
}

function sendMetadata(
  { calls }: GoogleContext,
  call: Call,
  metadata: FileMetadata,
): Promise<GoogleFile> {
  const body = JSON.stringify(metadataJson(metadata))
  return calls.json({ ...call, headers: jsonType, body }, googleFileSchema)
}

/** Whether there was a file. When an earlier attempt failed, it may be what removed the file. */
async function removal({ calls }: GoogleContext, call: Call): Promise<boolean> {
  const retryPolicy = calls.retryPolicy(call)
  try {
    const answer = await retryPolicy.persist(() => calls.once(call, retryPolicy))
    await answer.drain()
    return true
  } catch (error) {
    if (error instanceof GoogleNotFound) return retryPolicy.failures > 0
    throw error
  }
}
