import { createHash } from 'node:crypto'
import { createReadStream, truncateSync } from 'node:fs'
import { open } from 'node:fs/promises'
import type { IncomingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { chooseRange } from './byte-range.ts'
import { DavError } from './dav-error.ts'
import { type DavCall, type DavReply, headerOf } from './dav-exchange.ts'
import { checkName, type DavPath } from './dav-path.ts'
import { type Content, type FileNode, nameOf, type PutFacts, type TreeNode } from './file-tree.ts'
import { contentTypeOf } from './live-properties.ts'
import {
  hashesAskedFor,
  hashHeaders,
  isHashName,
  type ReceivedBody,
  receiveBody,
} from './receive-body.ts'
import type { UserFiles } from './user-files.ts'

/** GET and HEAD. */
export async function getFile(
  user: UserFiles,
  { method, path, headers }: DavCall,
): Promise<DavReply> {
  const node = user.tree.get(path)
  // The browser plugin's page, not an error.
  if (node.kind === 'folder') {
    return { status: 200, headers: { 'content-type': 'text/html' }, body: '<html></html>' }
  }
  const reply = headOf(node, nameOf(path), headers)
  if (method === 'HEAD') return reply
  const release = user.locks.share(path)
  try {
    const handle = await open(node.content.file)
    const chunks = createReadStream('', { fd: handle, ...reply.range })
    return { ...reply, body: Readable.from(releaseBeforeLast(chunks, release)), release }
  } catch (error) {
    release()
    throw error
  }
}

/**
 * The unchanged chunks. Releases the file before the last one is sent: a client that has the whole body
 * may delete the file immediately, without waiting for this server to close it.
 */
async function* releaseBeforeLast(chunks: Readable, release: () => void): AsyncGenerator<Buffer> {
  let last: Buffer | undefined
  for await (const chunk of chunks) {
    if (last !== undefined) yield last
    last = chunk
  }
  release()
  if (last !== undefined) yield last
}

function headOf(
  { etag, modifiedAtMs, content, checksum }: FileNode,
  name: string,
  headers: IncomingHttpHeaders,
) {
  const ifRange = headerOf(headers, 'if-range')
  const isWhole = ifRange !== undefined && ifRange !== `"${etag}"`
  const range = isWhole ? undefined : chooseRange(headers.range, content.size)
  const length = range === undefined ? content.size : range.end - range.start + 1
  return {
    status: range === undefined ? 200 : 206,
    range,
    headers: {
      etag: `"${etag}"`,
      'oc-etag': `"${etag}"`,
      'last-modified': new Date(modifiedAtMs).toUTCString(),
      'content-type': contentTypeOf(name),
      'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(name)}`,
      // sabre/dav omits the length of an empty file.
      ...(length > 0 ? { 'content-length': String(length) } : {}),
      ...(range && { 'content-range': `bytes ${range.start}-${range.end}/${content.size}` }),
      ...(checksum === '' ? {} : { 'oc-checksum': checksum }),
    },
  }
}

/** PUT: all or nothing. Two concurrent ones for a file conflict: 423. */
export async function putFile(user: UserFiles, call: DavCall): Promise<DavReply> {
  const { path, headers, request, fault } = call
  if (headers['content-range'] !== undefined) {
    throw new DavError(400, 'Content-Range on PUT requests are forbidden.')
  }
  if (headers['x-nc-webdav-auto-mkcol'] === '1') makeFoldersAbove(user, path)
  user.tree.parentOf(path)
  if (user.tree.find(path)?.kind === 'folder') {
    throw new DavError(409, 'PUT is not allowed on non-files.')
  }
  checkName(nameOf(path))
  user.checkSpace(Number(headers['content-length'] ?? 0))
  const release = user.locks.share(path)
  try {
    const hashes = hashesAskedFor(headerOf(headers, 'x-hash'))
    const body = await receiveBody(request, user.newFile(), hashes)
    const content = fault?.kind === 'store-short' ? halved(body.content) : body.content
    return putReceived(user, call, { ...body, content })
  } finally {
    release()
  }
}

function putReceived(
  user: UserFiles,
  { path, headers }: DavCall,
  { content, digests }: ReceivedBody,
): DavReply {
  try {
    user.locks.checkAlone(path, 1)
    const isNew = user.tree.find(path) === undefined
    const node = user.tree.put(path, content, putFactsOf(headers))
    return {
      status: isNew ? 201 : 204,
      headers: {
        ...idHeaders(node),
        etag: `"${node.etag}"`,
        ...hashHeaders(digests),
        ...(headers['x-oc-mtime'] === undefined ? {} : { 'x-oc-mtime': 'accepted' }),
      },
    }
  } catch (error) {
    user.forget(content)
    throw error
  }
}

/** What a client may declare about the new file. The checksum is trusted. */
export function putFactsOf(headers: IncomingHttpHeaders): PutFacts {
  const seconds = Number(headerOf(headers, 'x-oc-mtime') ?? Number.NaN)
  return {
    modifiedAtMs: Number.isFinite(seconds) ? seconds * 1000 : undefined,
    checksum: headerOf(headers, 'oc-checksum')?.trim(),
  }
}

/** Headers of all answers that create a file or folder. */
export function idHeaders({ fileId, etag }: TreeNode): Record<string, string> {
  return { 'oc-fileid': `${String(fileId).padStart(8, '0')}ocemulator`, 'oc-etag': `"${etag}"` }
}

/** Loses the second half of the bytes. */
export function halved({ file, size }: Content): Content {
  const half = Math.floor(size / 2)
  truncateSync(file, half)
  return { file, size: half }
}

function makeFoldersAbove({ tree }: UserFiles, path: DavPath): void {
  for (const index of path.slice(0, -1).keys()) {
    const folder = path.slice(0, index + 1)
    if (tree.find(folder) !== undefined) continue
    checkName(nameOf(folder))
    tree.makeFolder(folder)
  }
}

/** PATCH of OCA\DAV\Connector\Sabre\ChecksumUpdatePlugin: hashes the bytes that are stored. */
export async function recalculateHash(
  { tree }: UserFiles,
  { path, headers }: DavCall,
): Promise<DavReply> {
  const node = tree.get(path)
  const name = headerOf(headers, 'x-recalculate-hash')?.toLowerCase() ?? ''
  if (node.kind !== 'file' || !isHashName(name)) throw new DavError(501, 'no handler for "PATCH"')
  const hash = createHash(name)
  await pipeline(createReadStream(node.content.file), hash)
  node.checksum = `${name.toUpperCase()}:${hash.digest('hex')}`
  return { status: 204, headers: { 'oc-checksum': node.checksum } }
}
