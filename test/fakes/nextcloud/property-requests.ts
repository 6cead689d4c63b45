import { type DavCall, type DavReply, headerOf, xmlType } from './dav-exchange.ts'
import { type DavPath, encodePath } from './dav-path.ts'
import { parsePropfind, parseProppatch, renderMultiStatus } from './dav-xml.ts'
import { nameOf, type TreeNode } from './file-tree.ts'
import { isProtected, propertiesOf } from './live-properties.ts'
import { receiveText } from './receive-body.ts'
import type { UserFiles } from './user-files.ts'

/** PROPFIND. Depth infinity means 1, as in sabre/dav by default. */
export async function findProperties(user: UserFiles, call: DavCall): Promise<DavReply> {
  const { path } = call
  const wanted = parsePropfind(await receiveText(call.request))
  const node = user.tree.get(path)
  const isDeep = node.kind === 'folder' && headerOf(call.headers, 'depth') !== '0'
  const children = Array.from(isDeep ? node.children : [], ([name, child]) => ({
    path: [...path, name],
    node: child,
  }))
  const { uid, availableBytes } = user
  const usedBytes = user.tree.usedBytes
  // The folder comes first; the order of its content is undefined.
  const entries = [{ path, node }, ...children.reverse()].map((entry) => ({
    href: hrefOf(user, entry.path, entry.node),
    found: propertiesOf(entry.node, wanted, {
      dead: user.dead.of(entry.path),
      context: { uid, usedBytes, availableBytes, name: nameOf(entry.path) },
    }),
  }))
  return { status: 207, headers: xmlType, body: renderMultiStatus(entries) }
}

/** PROPPATCH: all changes or none. */
export async function patchProperties(user: UserFiles, call: DavCall): Promise<DavReply> {
  const changes = parseProppatch(await receiveText(call.request))
  const node = user.tree.get(call.path)
  const names = [...changes.keys()]
  const isRefused = names.some(isProtected)
  if (!isRefused) user.dead.change(call.path, changes)
  const found = new Map<number, Map<string, string>>()
  for (const name of names) {
    const status = statusOf(name, isRefused)
    found.set(status, (found.get(status) ?? new Map()).set(name, ''))
  }
  const href = hrefOf(user, call.path, node)
  return { status: 207, headers: xmlType, body: renderMultiStatus([{ href, found }]) }
}

function statusOf(name: string, isRefused: boolean): number {
  if (!isRefused) return 200
  return isProtected(name) ? 403 : 424
}

function hrefOf({ uid }: UserFiles, path: DavPath, node: TreeNode): string {
  const end = node.kind === 'folder' ? '/' : ''
  return `/remote.php/dav/files/${encodePath([uid, ...path])}${end}`
}
