import { createReadStream, createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { idHeaders, putFactsOf } from './content-requests.ts'
import { DavError } from './dav-error.ts'
import { type DavCall, type DavReply, headerOf } from './dav-exchange.ts'
import { checkName } from './dav-path.ts'
import { checkedDestination, type Destination } from './destination.ts'
import { type Content, nameOf } from './file-tree.ts'
import type { NextcloudFault } from './nextcloud-faults.ts'
import type { Upload, Uploads } from './uploads.ts'

/** An allowed MOVE of `.file`. */
export interface Assembly {
  readonly uploads: Uploads
  readonly upload: Upload
  readonly destination: Destination
  readonly call: DavCall
  readonly contents: readonly Content[]
}

type SlowMove = Extract<NextcloudFault, { kind: 'slow-move' }>

/** Checks what can be wrong before any byte is moved. */
export function planAssembly(uploads: Uploads, upload: Upload, call: DavCall): Assembly {
  const { user } = uploads
  if (upload.isAssembling) throw new DavError(423, `${upload.id} is locked`)
  const destination = checkedDestination(call, user)
  checkName(nameOf(destination.path))
  if (user.tree.find(destination.path)?.kind === 'folder') throw new DavError(409, 'a folder')
  const contents =
    uploads.store === 'files' ? filesOf(upload, call) : partsOf(uploads, upload, call)
  user.checkSpace(totalOf(contents))
  user.locks.checkAlone(destination.path)
  return { uploads, upload, destination, call, contents }
}

/** In the natural order of their names, as OCA\DAV\Upload\AssemblyStream. */
function filesOf({ chunks }: Upload, call: DavCall): Content[] {
  const byNumber = [...chunks].sort(([a], [b]) => a - b)
  const contents = byNumber.map(([, { content }]) => content)
  checkTotal(call, totalOf(contents))
  return contents
}

/** The object store assembles the parts itself, and ignores what the client declares. */
function partsOf(uploads: Uploads, upload: Upload, call: DavCall): Content[] {
  // Without its record, the upload is treated as one of files, which do not exist.
  if (!upload.hasMetadata) {
    checkTotal(call, 0)
    return []
  }
  uploads.checkUsable(upload)
  const contents = [...upload.chunks].sort(([a], [b]) => a - b).map(([, { content }]) => content)
  if (contents.slice(0, -1).some(({ size }) => size < uploads.minPartBytes)) {
    throw new DavError(500, 'EntityTooSmall')
  }
  return contents
}

function checkTotal({ headers }: DavCall, total: number): void {
  const wanted = headerOf(headers, 'oc-total-length')
  if (wanted === undefined || wanted === String(total)) return
  throw new DavError(400, `Chunks on server do not sum up to ${wanted} but to ${total} bytes`)
}

/** Replaces the file by the assembled chunks, keeps its id, and ends the upload. */
export async function assemble({
  uploads,
  upload,
  destination,
  call,
  contents,
}: Assembly): Promise<DavReply> {
  const { user } = uploads
  const { path, exists } = destination
  const file = user.newFile()
  upload.isAssembling = true
  const release = user.locks.share(path)
  try {
    await pipeline(bytesOf(contents), createWriteStream(file))
    user.locks.checkAlone(path, 1)
    const node = user.tree.put(path, { file, size: totalOf(contents) }, putFactsOf(call.headers))
    uploads.remove(upload)
    return { status: exists ? 204 : 201, headers: idHeaders(node) }
  } finally {
    release()
    upload.isAssembling = false
  }
}

/**
 * Answers as a proxy that timed out, and executes the MOVE after this many further requests.
 * Undefined: the connection ends without an answer.
 */
export async function assembleSlowly(
  assembly: Assembly,
  { status, requests, fails = false }: SlowMove,
): Promise<DavReply | undefined> {
  const { uploads, upload, destination } = assembly
  const release = uploads.user.locks.share(destination.path)
  upload.isAssembling = true
  const finish = async () => {
    release()
    upload.isAssembling = false
    if (!fails) await assemble(assembly)
  }
  if (requests === 0) await finish()
  else uploads.later(requests, finish)
  return status === undefined ? undefined : { status }
}

async function* bytesOf(contents: readonly Content[]): AsyncIterable<Uint8Array> {
  for (const { file } of contents) yield* createReadStream(file)
}

export function totalOf(contents: readonly Content[]): number {
  return contents.reduce((sum, { size }) => sum + size, 0)
}
