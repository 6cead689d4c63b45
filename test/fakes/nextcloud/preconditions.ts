import type { IncomingHttpHeaders } from 'node:http'
import { DavError } from './dav-error.ts'
import type { TreeNode } from './file-tree.ts'

/**
 * If-Match and If-None-Match, as sabre/dav's Server::checkPreconditions: once, before the body is read.
 * So two racing writers may both pass. For MOVE and COPY, the source is checked.
 *
 * @returns whether the answer is 304.
 */
export function checkPreconditions(
  method: string,
  headers: IncomingHttpHeaders,
  node: TreeNode | undefined,
): boolean {
  const { 'if-match': wanted, 'if-none-match': unwanted } = headers
  if (headers.if !== undefined) throw new DavError(501, 'the emulator knows no If header')
  if (wanted !== undefined && !isNamed(wanted, node)) {
    throw new DavError(412, 'An If-Match header was specified, but none of the ETags matched.')
  }
  if (unwanted === undefined || !isNamed(unwanted, node)) return false
  if (method === 'GET' || method === 'HEAD') return true
  throw new DavError(412, 'An If-None-Match header was specified, but the ETag matched.')
}

function isNamed(header: string, node: TreeNode | undefined): boolean {
  if (node === undefined) return false
  if (header === '*') return true
  return header.split(',').some((etag) => etag.trim() === `"${node.etag}"`)
}
