import { randomUUID } from 'node:crypto'
import type { Reader } from '../../kit/cloud/read-limiter.ts'
import { type ByteRange, continuedDownload, type Download, downloadOf } from './download.ts'
import type { Call } from './google-calls.ts'
import {
  type CallOptions,
  creating,
  fileUrl,
  type GoogleContext,
  jsonType,
  supported,
  urlOf,
} from './google-context.ts'
import { GoogleSuspects } from './google-failure.ts'
import {
  type FileMetadata,
  fileFields,
  type GoogleFile,
  googleFileSchema,
  metadataJson,
} from './google-file.ts'
import { sessionUrlOf } from './resumable-sessions.ts'

interface UploadTarget extends CallOptions {
  /** The file whose bytes are replaced. Absent: a new file. */
  readonly id?: string | undefined
  /** Its `mimeType` is also the type of the bytes. */
  readonly metadata: FileMetadata
}

export interface SmallUpload extends UploadTarget {
  /** At most `maxSmallUploadBytes`. */
  readonly bytes: Uint8Array
}

export interface SessionOptions extends UploadTarget {
  /** The expected number of bytes, if known. */
  readonly size?: number | undefined
}

export interface DownloadOptions extends CallOptions {
  /** The client that reads the bytes, if that may take long. */
  readonly reader?: Reader | undefined
  /** At least one byte, because Drive rejects ranges of empty files. Absent: the whole file. */
  readonly range?: ByteRange | undefined
  /** A revision of the file, which must be pinned (`keepRevision`). Absent: the current content. */
  readonly revisionId?: string | undefined
}

/** The maximum that is sent in one call; more goes through a session. Google advises up to 5 MB. */
export const maxSmallUploadBytes = 4 * 1024 * 1024

const octets = 'application/octet-stream'

export async function uploadSmall(
  context: GoogleContext,
  { id, metadata, bytes, signal }: SmallUpload,
): Promise<GoogleFile> {
  const newId = await newIdOf(context, { id, metadata })
  const { contentType, body } = relatedBody(metadataWithId(metadata, newId), {
    bytes,
    mimeType: metadata.mimeType ?? octets,
    boundary: `bucketry-${randomUUID()}`,
  })
  const call: Call = {
    ...uploadCall(context, { id, newId, metadata, uploadType: 'multipart' }),
    headers: { 'content-type': contentType },
    body,
    signal,
  }
  const send = () => context.calls.json(call, googleFileSchema)
  return newId === undefined ? send() : creating(context, { id: newId, bytes, signal }, send)
}

/** If the response is lost, the session stays empty and expires. */
export async function beginSession(
  context: GoogleContext,
  { id, metadata, size, signal }: SessionOptions,
): Promise<string> {
  const newId = await newIdOf(context, { id, metadata })
  const call: Call = {
    ...uploadCall(context, { id, newId, metadata, uploadType: 'resumable' }),
    headers: {
      ...jsonType,
      'x-upload-content-type': metadata.mimeType ?? octets,
      ...(size === undefined ? {} : { 'x-upload-content-length': String(size) }),
    },
    body: JSON.stringify(metadataWithId(metadata, newId)),
    signal,
  }
  return await context.calls.run(call, sessionUrlOf)
}

export async function download(
  context: GoogleContext,
  id: string,
  options: DownloadOptions,
): Promise<Download> {
  const first = await openDownload(context, id, options)
  const { range, revisionId, signal } = options
  const start = range?.start ?? 0
  const end = start + (first.length ?? 0)
  // Without a revision, the rest may belong to a later upload.
  const resume =
    revisionId === undefined
      ? undefined
      : (offset: number) =>
          openDownload(context, id, { ...options, range: { start: start + offset, end } })
  const retryPolicy = context.calls.retryPolicy({ doing: 'send the complete file', signal })
  return continuedDownload(first, { retryPolicy, resume })
}

async function openDownload(
  context: GoogleContext,
  id: string,
  { range, revisionId, reader, signal }: DownloadOptions,
): Promise<Download> {
  if (range !== undefined && !(range.start >= 0 && range.start < range.end)) {
    throw new RangeError(`bytes ${range.start} to ${range.end}: expected at least one`)
  }
  const revision = revisionId === undefined ? '' : `/revisions/${encodeURIComponent(revisionId)}`
  const open = (isAcknowledged: boolean) => {
    const parameters = { alt: 'media', acknowledgeAbuse: isAcknowledged ? 'true' : undefined }
    const call: Call = {
      doing: 'read a file',
      method: 'GET',
      url: fileUrl(context, id, parameters, revision),
      cost: 'download',
      limiter: 'downloads',
      reader,
      headers: range === undefined ? {} : { range: `bytes=${range.start}-${range.end - 1}` },
      fileId: id,
      signal,
    }
    return context.calls.run(call, async (answer) => downloadOf(answer, range))
  }
  try {
    return await open(false)
  } catch (error) {
    if (!(error instanceof GoogleSuspects)) throw error
    return await open(true)
  }
}

interface UploadKind {
  readonly id: string | undefined
  readonly newId: string | undefined
  readonly metadata: FileMetadata
  readonly uploadType: 'multipart' | 'resumable'
}

/** PATCH replaces a file. PUT would not start a session: its response has no Location. */
function uploadCall(
  { endpoints }: GoogleContext,
  { id, newId, metadata, uploadType }: UploadKind,
): Call {
  const file = id === undefined ? '' : `/${encodeURIComponent(id)}`
  return {
    doing: 'accept an upload',
    method: id === undefined ? 'POST' : 'PATCH',
    url: urlOf(`${endpoints.upload}/files${file}`, {
      uploadType,
      ...supported,
      fields: fileFields,
    }),
    cost: 'update',
    limiter: uploadType === 'multipart' ? 'uploads' : 'calls',
    isUpload: true,
    fileId: id ?? metadata.parents?.[0],
    newId,
  }
}

/** The id of a new file; undefined if a file is replaced. */
async function newIdOf(
  { ids }: GoogleContext,
  { id, metadata }: Pick<UploadTarget, 'id' | 'metadata'>,
): Promise<string | undefined> {
  return id === undefined ? (metadata.id ?? (await ids.next())) : undefined
}

function metadataWithId(metadata: FileMetadata, newId: string | undefined): object {
  return metadataJson(newId === undefined ? metadata : { ...metadata, id: newId })
}

interface RelatedBytes {
  readonly bytes: Uint8Array
  readonly mimeType: string
  /** Must not occur in a part. */
  readonly boundary: string
}

/** Metadata and bytes in one request: multipart/related (RFC 2387), for Drive's small uploads. */
export function relatedBody(
  metadata: object,
  { bytes, mimeType, boundary }: RelatedBytes,
): { readonly contentType: string; readonly body: Uint8Array } {
  const head = [
    `--${boundary}`,
    'Content-Type: application/json; charset=UTF-8',
    '',
    JSON.stringify(metadata),
    `--${boundary}`,
    // A line break in a client's content type would start a new header.
    `Content-Type: ${mimeType.replaceAll(/[^\x20-\x7e]/g, '')}`,
    '',
    '',
  ].join('\r\n')
  return {
    contentType: `multipart/related; boundary=${boundary}`,
    body: Buffer.concat([Buffer.from(head), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]),
  }
}
