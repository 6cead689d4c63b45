import { escapeXml } from './dav-error.ts'
import type { PropertyRequest } from './dav-xml.ts'
import type { Properties } from './dead-properties.ts'
import { sizeOf, type TreeNode } from './file-tree.ts'

export interface PropertyContext {
  readonly name: string
  readonly uid: string
  readonly usedBytes: number
  /** quota-available-bytes: a count, or -1 uncomputed, -2 unknown, -3 unlimited. */
  readonly availableBytes: number
}

type Live = (node: TreeNode, context: PropertyContext) => string | undefined

/** By Clark name; the values are XML. Undefined: this kind of node does not have it. */
const live: Readonly<Record<string, Live>> = {
  '{DAV:}getlastmodified': (node) => new Date(node.modifiedAtMs).toUTCString(),
  '{DAV:}getcontentlength': (node) =>
    node.kind === 'file' ? String(node.content.size) : undefined,
  '{DAV:}resourcetype': (node) => (node.kind === 'folder' ? '<d:collection/>' : ''),
  '{DAV:}getetag': (node) => `&quot;${node.etag}&quot;`,
  '{DAV:}getcontenttype': (node, { name }) =>
    node.kind === 'file' ? contentTypeOf(name) : undefined,
  '{DAV:}quota-used-bytes': (node, { usedBytes }) =>
    node.kind === 'folder' ? String(usedBytes) : undefined,
  '{DAV:}quota-available-bytes': (node, { availableBytes }) =>
    node.kind === 'folder' ? String(availableBytes) : undefined,
  '{DAV:}displayname': (_, { name }) => escapeXml(name),
  '{http://owncloud.org/ns}id': (node) => `${String(node.fileId).padStart(8, '0')}ocemulator`,
  '{http://owncloud.org/ns}fileid': (node) => String(node.fileId),
  '{http://owncloud.org/ns}size': (node) => String(sizeOf(node)),
  '{http://owncloud.org/ns}permissions': (node) => (node.kind === 'file' ? 'RGDNVW' : 'RGDNVCK'),
  '{http://owncloud.org/ns}owner-id': (_, { uid }) => escapeXml(uid),
  '{http://owncloud.org/ns}data-fingerprint': () => '',
  '{http://owncloud.org/ns}checksums': (node) =>
    node.kind === 'file' && node.checksum !== ''
      ? `<oc:checksum>${escapeXml(node.checksum)}</oc:checksum>`
      : undefined,
  '{http://nextcloud.org/ns}has-preview': () => 'false',
}

/** The answer to a request for all properties: neither ownCloud's nor dead ones. */
const allProperties = Object.keys(live).filter(
  (name) => name.startsWith('{DAV:}') && name !== '{DAV:}displayname',
)

/** Whether clients cannot set it. */
export function isProtected(name: string): boolean {
  return name in live || /^\{DAV:\}(supported|current|lock|creationdate)/.test(name)
}

/** The properties of a node by status: 200, and 404 for requested ones that do not exist. */
export function propertiesOf(
  node: TreeNode,
  request: PropertyRequest,
  { dead, context }: { readonly dead: Properties; readonly context: PropertyContext },
): ReadonlyMap<number, Properties> {
  const there = new Map<string, string>()
  const missing = new Map<string, string>()
  for (const name of request === 'all' ? allProperties : request) {
    const value = live[name]?.(node, context) ?? deadValue(dead, name)
    if (value !== undefined) there.set(name, value)
    else if (request !== 'all') missing.set(name, '')
  }
  return new Map([[200, there] as const, ...(missing.size > 0 ? [[404, missing] as const] : [])])
}

function deadValue(dead: Properties, name: string): string | undefined {
  const value = dead.get(name)
  return value === undefined ? undefined : escapeXml(value)
}

/** Determined by the file's name, regardless of the client's header. */
export function contentTypeOf(name: string): string {
  const extension = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''
  return contentTypes[extension] ?? 'application/octet-stream'
}

const contentTypes: Readonly<Record<string, string>> = {
  html: 'text/html',
  jpg: 'image/jpeg',
  json: 'application/json',
  png: 'image/png',
  txt: 'text/plain',
  xml: 'application/xml',
}
