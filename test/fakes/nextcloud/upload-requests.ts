import { randomBytes } from 'node:crypto'
import { assemble, assembleSlowly, planAssembly, totalOf } from './assembly.ts'
import { halved } from './content-requests.ts'
import { DavError } from './dav-error.ts'
import { type DavCall, type DavReply, headerOf, xmlType } from './dav-exchange.ts'
import { encodePath } from './dav-path.ts'
import { parsePropfind, renderMultiStatus } from './dav-xml.ts'
import { destinationOf } from './destination.ts'
import type { Content, TreeNode } from './file-tree.ts'
import { propertiesOf } from './live-properties.ts'
import { hashesAskedFor, hashHeaders, receiveBody, receiveText } from './receive-body.ts'
import type { Upload, Uploads } from './uploads.ts'

type Handler = (uploads: Uploads, call: DavCall) => Promise<DavReply | undefined>

const maxChunks = 10_000
/** The name of the assembled file in an upload folder. */
const future = '.file'

const handlers: Readonly<Record<string, Handler>> = {
  MKCOL: begin,
  PUT: putChunk,
  PROPFIND: list,
  MOVE: finish,
  DELETE: abort,
  GET: refuseReading,
  HEAD: refuseReading,
}

/** Answers a request below `uploads/{uid}`: chunked upload, version 2. Undefined: no answer. */
export async function answerUploadRequest(
  uploads: Uploads,
  call: DavCall,
): Promise<DavReply | undefined> {
  const handler = handlers[call.method]
  if (handler === undefined) throw new DavError(403, 'Permission denied')
  return handler(uploads, call)
}

async function begin(uploads: Uploads, call: DavCall): Promise<DavReply> {
  const { id, name } = placeOf(call)
  if (name !== undefined) throw new DavError(403, 'Permission denied to create folder')
  uploads.begin(id, destinationOf(call, uploads.user))
  return { status: 201 }
}

async function putChunk(uploads: Uploads, call: DavCall): Promise<DavReply> {
  const { id, name } = placeOf(call)
  if (name === undefined) throw new DavError(403, 'Permission denied to create file')
  const upload = uploads.get(id)
  if (upload.isAssembling) throw new DavError(423, `${id} is locked`)
  const number = chunkNumber(name)
  // Without it, the real server treats the chunk as one of version 1, and MOVE does not see it.
  destinationOf(call, uploads.user)
  uploads.checkUsable(upload)
  const announced = ['content-length', 'oc-total-length'].map((header) =>
    Number(headerOf(call.headers, header) ?? 0),
  )
  uploads.user.checkSpace(Math.max(...announced))
  const hashes = hashesAskedFor(headerOf(call.headers, 'x-hash'))
  const body = await receiveBody(call.request, uploads.user.newFile(), hashes)
  const { content } = body
  const isKnown = uploads.all.includes(upload)
  if (!isKnown) {
    uploads.user.forget(content)
    throw new DavError(404, `${id} is gone`)
  }
  const isReplaced = upload.chunks.has(number)
  uploads.putChunk(upload, number, {
    name,
    content: call.fault?.kind === 'store-short' ? halved(content) : content,
    etag: randomBytes(16).toString('hex'),
    modifiedAtMs: Date.now(),
  })
  // Another part of the server sends chunks to an object store, and computes no hashes.
  if (uploads.store !== 'files') return { status: 201 }
  return { status: isReplaced ? 204 : 201, headers: hashHeaders(body.digests) }
}

function chunkNumber(name: string): number {
  const number = /^\d+$/.test(name) ? Number(name) : 0
  if (number >= 1 && number <= maxChunks) return number
  throw new DavError(400, 'Invalid chunk name, must be numeric between 1 and 10000')
}

async function finish(uploads: Uploads, call: DavCall): Promise<DavReply | undefined> {
  const { id, name } = placeOf(call)
  if (name !== future) throw new DavError(403, 'Permission denied to move a chunk')
  const assembly = planAssembly(uploads, uploads.get(id), call)
  if (call.fault?.kind === 'slow-move') return assembleSlowly(assembly, call.fault)
  return assemble(assembly)
}

async function abort(uploads: Uploads, call: DavCall): Promise<DavReply> {
  const { id, name } = placeOf(call)
  const upload = uploads.get(id)
  if (upload.isAssembling) throw new DavError(423, `${id} is locked`)
  if (name === undefined) uploads.remove(upload)
  else uploads.removeChunk(upload, chunkNumber(name))
  return { status: 204 }
}

async function refuseReading(uploads: Uploads, call: DavCall): Promise<DavReply> {
  const { id, name } = placeOf(call)
  uploads.get(id)
  if (name !== undefined) throw new DavError(405, 'Reading intermediate uploads is not allowed')
  return { status: 200, headers: { 'content-type': 'text/html' }, body: '<html></html>' }
}

/** The folder, `.file`, and the chunks: by the client's names, or by number in an object store. */
async function list(uploads: Uploads, call: DavCall): Promise<DavReply> {
  const wanted = parsePropfind(await receiveText(call.request))
  const { uid, availableBytes } = uploads.user
  const entries = nodesAt(uploads, call).map(({ path, node }) => ({
    href: `/remote.php/dav/uploads/${encodePath([uid, ...path])}${node.kind === 'folder' ? '/' : ''}`,
    found: propertiesOf(node, wanted, {
      dead: new Map(),
      context: { uid, availableBytes, usedBytes: 0, name: path.at(-1) ?? uid },
    }),
  }))
  return { status: 207, headers: xmlType, body: renderMultiStatus(entries) }
}

function nodesAt(uploads: Uploads, call: DavCall) {
  const isDeep = headerOf(call.headers, 'depth') !== '0'
  if (call.path.length === 0) {
    const folders = isDeep ? uploads.all.map(({ id }) => ({ path: [id], node: folder() })) : []
    return [{ path: [], node: folder() }, ...folders]
  }
  const { id, name } = placeOf(call)
  const upload = uploads.get(id)
  if (name === undefined) {
    const below = isDeep ? chunkNodes(uploads, upload) : []
    return [{ path: [id], node: folder() }, ...below]
  }
  const found = chunkNodes(uploads, upload).find(({ path }) => path[1] === name)
  if (found === undefined) throw new DavError(404, `${name} could not be located`)
  return [found]
}

function chunkNodes({ store }: Uploads, { id, chunks }: Upload) {
  const parts = [...chunks].map(([number, { name, content, etag, modifiedAtMs }]) => ({
    path: [id, store === 'files' ? name : String(number)],
    node: file(content, { etag, modifiedAtMs }),
  }))
  const size = totalOf([...chunks.values()].map(({ content }) => content))
  const whole = file({ file: '', size }, { etag: '', modifiedAtMs: Date.now() })
  return [{ path: [id, future], node: whole }, ...parts.reverse()]
}

function file(content: Content, facts: { etag: string; modifiedAtMs: number }): TreeNode {
  return { kind: 'file', fileId: 0, content, checksum: '', ...facts }
}

function folder(): TreeNode {
  return { kind: 'folder', fileId: 0, etag: '', modifiedAtMs: Date.now(), children: new Map() }
}

function placeOf({ path }: DavCall): { readonly id: string; readonly name: string | undefined } {
  const [id, name] = path
  if (id === undefined || path.length > 2) throw new DavError(403, 'Permission denied')
  return { id, name }
}
