import type { IncomingMessage } from 'node:http'
import type { Handler } from './call.ts'
import type { CallKind } from './call-kinds.ts'
import { isLast, parseContentRange } from './content-range.ts'
import { GoogleError } from './google-error.ts'
import { about, getDrive, listDrives } from './handlers/about-and-drives.ts'
import { listChanges, startPageToken } from './handlers/changes.ts'
import { listFiles } from './handlers/list-files.ts'
import { downloadFile, generateIds, getFile } from './handlers/read-files.ts'
import { beginSession, cancelSession, continueSession } from './handlers/resumable-uploads.ts'
import { downloadRevision, getRevision, patchRevision } from './handlers/revisions.ts'
import { uploadMedia, uploadMultipart } from './handlers/whole-uploads.ts'
import {
  copy,
  createFromMetadata,
  emptyTrash,
  patchFile,
  removeFile,
} from './handlers/write-files.ts'

export interface Route {
  readonly kind: CallKind
  readonly handle: Handler
  /** The part of the path that names a file, a drive or a session. */
  readonly id: string
  /** Whether a session's URL is enough to be let in. */
  readonly isSession?: boolean
}

type Row = readonly [method: string, path: RegExp, kind: CallKind, handle: Handler]

const metadataRows: readonly Row[] = [
  ['GET', /^about$/, 'about', about],
  ['GET', /^changes\/startPageToken$/, 'startPageToken', startPageToken],
  ['GET', /^changes$/, 'changes', listChanges],
  ['GET', /^(?:drives|teamdrives)$/, 'drives', listDrives],
  ['GET', /^(?:drives|teamdrives)\/([^/]+)$/, 'drive', getDrive],
  ['GET', /^files\/generateIds$/, 'generateIds', generateIds],
  ['GET', /^files$/, 'list', listFiles],
  ['GET', /^files\/([^/]+\/revisions\/[^/]+)$/, 'get', getRevision],
  ['GET', /^files\/([^/]+)$/, 'get', getFile],
  ['POST', /^files$/, 'create', createFromMetadata],
  ['POST', /^files\/([^/]+\/copy)$/, 'copy', copy],
  ['PATCH', /^files\/([^/]+\/revisions\/[^/]+)$/, 'update', patchRevision],
  ['PATCH', /^files\/([^/]+)$/, 'update', patchFile],
  ['DELETE', /^files\/trash$/, 'delete', emptyTrash],
  ['DELETE', /^files\/([^/]+)$/, 'delete', removeFile],
]

const mediaRows: readonly Row[] = [
  ['GET', /^files\/([^/]+\/revisions\/[^/]+)$/, 'download', downloadRevision],
  ['GET', /^files\/([^/]+)$/, 'download', downloadFile],
]

const uploadHandlers: Readonly<Record<string, readonly [CallKind, Handler]>> = {
  multipart: ['multipart', uploadMultipart],
  media: ['media', uploadMedia],
  resumable: ['init', beginSession],
}

/** Methods of uploads: of a new file, and of one that is there. */
const createMethods = ['POST']
const updateMethods = ['PATCH', 'PUT']
const sessionMethods = ['PUT', 'POST', 'DELETE']

/** @throws GoogleError if the endpoint does not exist. */
export function routeOf(request: IncomingMessage, url: URL): Route {
  const upload = /^\/upload\/drive\/v3\/files(?:\/([^/]+))?$/.exec(url.pathname)
  if (upload !== null) return uploadRoute(request, { id: upload[1] ?? '', query: url.searchParams })
  const path = /^\/drive\/v3\/(.*)$/.exec(url.pathname)?.[1] ?? ''
  const rows = url.searchParams.get('alt') === 'media' ? mediaRows : metadataRows
  for (const [method, pattern, kind, handle] of rows) {
    const match = method === request.method ? pattern.exec(path) : null
    if (match !== null) return { kind, handle, id: decodeURIComponent(match[1] ?? '') }
  }
  throw new GoogleError('notFound')
}

function uploadRoute(
  { method = '', headers }: IncomingMessage,
  { id, query }: { id: string; query: URLSearchParams },
): Route {
  const session = query.get('upload_id')
  if (session !== null && sessionMethods.includes(method)) {
    const kind = method === 'DELETE' ? 'cancel' : sessionKind(headers['content-range'])
    const handle = method === 'DELETE' ? cancelSession : continueSession
    return { kind, handle, id: session, isSession: true }
  }
  const [kind, handle] = uploadHandlers[query.get('uploadType') ?? ''] ?? []
  const methods = id === '' ? createMethods : updateMethods
  if (kind === undefined || handle === undefined || !methods.includes(method)) {
    throw new GoogleError('badRequest', { message: 'Bad upload request' })
  }
  return { kind, handle, id: decodeURIComponent(id) }
}

function sessionKind(header: string | undefined): CallKind {
  if (header === undefined) return 'lastChunk'
  const range = parseContentRange(header)
  if (range.start === undefined) return 'query'
  return isLast(range) ? 'lastChunk' : 'chunk'
}
