import { SaxesParser } from 'saxes'
import { DavError, escapeXml } from './dav-error.ts'
import type { Properties } from './dead-properties.ts'

/** Prefixes that Nextcloud declares on every answer. */
const prefixes: Readonly<Record<string, string>> = {
  'DAV:': 'd',
  'http://sabredav.org/ns': 's',
  'http://owncloud.org/ns': 'oc',
  'http://nextcloud.org/ns': 'nc',
}

/** The names of the requested properties, or `all` (an empty body or allprop). */
export type PropertyRequest = readonly string[] | 'all'

interface XmlElement {
  readonly name: string
  readonly children: XmlElement[]
  text: string
}

export function parsePropfind(body: string): PropertyRequest {
  if (body.trim() === '') return 'all'
  const root = parseXml(body)
  if (root.name !== '{DAV:}propfind') throw new DavError(400, `expected propfind, got ${root.name}`)
  const asked = root.children.find(({ name }) => name === '{DAV:}prop')
  return asked === undefined ? 'all' : asked.children.map(({ name }) => name)
}

/** The changes of a PROPPATCH in order; undefined removes. Values are text. */
export function parseProppatch(body: string): ReadonlyMap<string, string | undefined> {
  const root = parseXml(body)
  if (root.name !== '{DAV:}propertyupdate') {
    throw new DavError(400, `expected propertyupdate, got ${root.name}`)
  }
  const changes = new Map<string, string | undefined>()
  for (const instruction of root.children) {
    const isSet = instruction.name === '{DAV:}set'
    for (const { children } of instruction.children) {
      for (const property of children) changes.set(property.name, isSet ? property.text : undefined)
    }
  }
  return changes
}

function parseXml(body: string): XmlElement {
  const parser = new SaxesParser({ xmlns: true })
  const top: XmlElement = { name: '', children: [], text: '' }
  const open = [top]
  parser.on('error', (error) => {
    throw new DavError(400, error.message)
  })
  parser.on('opentag', ({ uri, local }) => {
    const element: XmlElement = { name: `{${uri}}${local}`, children: [], text: '' }
    open.at(-1)?.children.push(element)
    open.push(element)
  })
  const addText = (text: string) => {
    const element = open.at(-1)
    if (element !== undefined) element.text += text
  }
  parser.on('text', addText)
  parser.on('cdata', addText)
  parser.on('closetag', () => open.pop())
  parser.write(body).close()
  const [root] = top.children
  if (root === undefined) throw new DavError(400, 'no XML')
  return root
}

export interface MultiStatusEntry {
  readonly href: string
  /** Properties as XML content, by status and then by name. */
  readonly found: ReadonlyMap<number, Properties>
}

export function renderMultiStatus(entries: readonly MultiStatusEntry[]): string {
  const declared = Object.entries(prefixes).map(([uri, prefix]) => ` xmlns:${prefix}="${uri}"`)
  const responses = entries.map(renderResponse).join('')
  return `<?xml version="1.0"?>\n<d:multistatus${declared.join('')}>${responses}</d:multistatus>\n`
}

function renderResponse({ href, found }: MultiStatusEntry): string {
  const parts = Array.from(found, ([status, properties]) => {
    const content = Array.from(properties, renderProperty).join('')
    return `<d:propstat><d:prop>${content}</d:prop><d:status>HTTP/1.1 ${status} ${reasons[status]}</d:status></d:propstat>`
  })
  return `<d:response><d:href>${escapeXml(href)}</d:href>${parts.join('')}</d:response>`
}

const reasons: Readonly<Record<number, string>> = {
  200: 'OK',
  403: 'Forbidden',
  404: 'Not Found',
  424: 'Failed Dependency',
}

function renderProperty([name, xml]: readonly [string, string]): string {
  const [, uri = '', local = ''] = /^\{(.*)\}([^}]+)$/.exec(name) ?? []
  const [tag, declared] = tagOf(uri, local)
  return xml === '' ? `<${tag}${declared}/>` : `<${tag}${declared}>${xml}</${tag}>`
}

/** The element's name, and the namespace it declares. */
function tagOf(uri: string, local: string): readonly [string, string] {
  const prefix = prefixes[uri]
  if (prefix !== undefined) return [`${prefix}:${local}`, '']
  return uri === '' ? [local, ' xmlns=""'] : [`x1:${local}`, ` xmlns:x1="${escapeXml(uri)}"`]
}
