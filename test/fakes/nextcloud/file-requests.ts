import { getFile, putFile, recalculateHash } from './content-requests.ts'
import { DavError } from './dav-error.ts'
import type { DavCall, DavReply } from './dav-exchange.ts'
import { checkPreconditions } from './preconditions.ts'
import { findProperties, patchProperties } from './property-requests.ts'
import { copyNode, deleteNode, makeFolder, moveNode } from './tree-requests.ts'
import type { UserFiles } from './user-files.ts'

type Handler = (user: UserFiles, call: DavCall) => Promise<DavReply>

const davFeatures = '1, 3, extended-mkcol, access-control, nextcloud-checksum-update'

const handlers: Readonly<Record<string, Handler>> = {
  OPTIONS: async () => ({ status: 200, headers: { dav: davFeatures, 'ms-author-via': 'DAV' } }),
  HEAD: getFile,
  GET: getFile,
  PUT: putFile,
  DELETE: deleteNode,
  MKCOL: makeFolder,
  MOVE: moveNode,
  COPY: copyNode,
  PROPFIND: findProperties,
  PROPPATCH: patchProperties,
  PATCH: recalculateHash,
}

/** Answers a request below `files/{uid}`, as sabre/dav with Nextcloud's plugins. */
export async function answerFileRequest(user: UserFiles, call: DavCall): Promise<DavReply> {
  const handler = handlers[call.method]
  if (handler === undefined) throw new DavError(501, `no handler for "${call.method}"`)
  const node = user.tree.find(call.path)
  if (checkPreconditions(call.method, call.headers, node)) return { status: 304 }
  return handler(user, call)
}
