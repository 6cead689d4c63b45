import { type SaxesAttributeNS, SaxesParser, type SaxesTagNS } from 'saxes'
import { DriveError } from '../../drive-error.ts'
import { StatusError } from './dav-error.ts'
import { type DavPath, segmentsOfHref } from './dav-path.ts'

/** What a server reports about a file or folder. */
export interface DavEntry {
  /** As in its href, from the server's root. */
  readonly segments: DavPath
  readonly isFolder: boolean
  /** 0 for a folder, and if it was not requested. */
  readonly size: number
  /** Milliseconds since the epoch; whole seconds. 0 when the server does not report it. */
  readonly modifiedAtMs: number
  /** Without quotes and `W/`; undefined when the server has none. */
  readonly etag: string | undefined
  /** Our dead property; undefined when there is none. */
  readonly record: string | undefined
  /** 0 when the server does not report it. */
  readonly createdAtMs: number
  /** The MD5 of the content, from ownCloud; undefined when it was not requested or reported. */
  readonly md5: string | undefined
  /** RFC 4331; undefined when it is not reported. Negative from Nextcloud: -3 means unlimited. */
  readonly freeBytes: number | undefined
  readonly usedBytes: number | undefined
}

export const recordNamespace = 'urn:bucketry'
export const recordName = 'record'

/** Longer texts are neither hrefs nor our records. */
const maxTextLength = 64 * 1024
const maxDepth = 32
/** The limit for one file or folder, because the parser buffers each text. */
const maxEntryBytes = 1024 * 1024

const davNamespace = 'DAV:'
export const ownCloudNamespace = 'http://owncloud.org/ns'
/** ownCloud's `checksums` contains one element `checksum`. */
const checksumNames: ReadonlySet<string> = new Set(['checksums', 'checksum'])
/** Elements whose text is read. */
const textElements: ReadonlySet<string> = new Set([
  'href',
  'status',
  'getcontentlength',
  'getlastmodified',
  'getetag',
  'creationdate',
  'quota-available-bytes',
  'quota-used-bytes',
  'checksum',
  recordName,
])

/** RFC 4918 section 9.1: an answer about a missing file contains its status. */
const absentStatuses: ReadonlySet<number> = new Set([404, 410])
/** A server answers 401 or 403 for properties that it hides from this account. */
const absentProperty: ReadonlySet<number> = new Set([401, 403, 404, 410])

/** The answer lacks a property that shows whether something exists. The next answer may contain it. */
export class UnclearAnswer extends DriveError {}

type Properties = Map<string, string>

/** What an answer must contain for each entry: its kind, also the size of a file, or nothing (PROPPATCH). */
export type Demand = 'kind' | 'size' | 'nothing'

/**
 * Reads a DAV:multistatus (RFC 4918 section 13) while it arrives. It rejects malformed XML, document
 * types, other roots, and answers without the demanded properties: a file that the server fails to
 * read must not seem absent or empty.
 */
export class MultistatusReader {
  readonly #parser = new SaxesParser({ xmlns: true })
  readonly #decoder = new TextDecoder('utf-8', { fatal: true })
  readonly #open: string[] = []
  readonly #demand: Demand
  #entries: DavEntry[] = []
  #bytesSinceEntry = 0
  #text: string | undefined
  /** The href of the current `response`. */
  #href: string | undefined
  #status = 200
  #properties: Properties = new Map()
  /** The properties of the current `propstat`, until its status is known. */
  #pending: Properties = new Map()
  #pendingStatus = ''
  #isAbsent = false

  constructor(demand: Demand) {
    this.#demand = demand
    this.#parser.on('error', (error) => {
      throw unreadable(error)
    })
    this.#parser.on('doctype', () => {
      throw unreadable()
    })
    this.#parser.on('opentag', (tag) => this.#begin(tag))
    this.#parser.on('text', (text) => this.#addText(text))
    this.#parser.on('cdata', (text) => this.#addText(text))
    this.#parser.on('closetag', (tag) => this.#end(tag))
  }

  /** Whether the answer reports something as missing. */
  get isAbsent(): boolean {
    return this.#isAbsent
  }

  /**
   * Returns the entries that are complete with this chunk.
   * @throws DriveError `unavailable` for an invalid answer; the error for a failed status in it
   */
  read(chunk: Uint8Array): DavEntry[] {
    try {
      this.#parser.write(this.#decoder.decode(chunk, { stream: true }))
    } catch (error) {
      throw error instanceof DriveError ? error : unreadable(error)
    }
    const entries = this.#entries
    this.#entries = []
    this.#bytesSinceEntry = entries.length > 0 ? 0 : this.#bytesSinceEntry + chunk.length
    if (this.#bytesSinceEntry > maxEntryBytes) throw unreadable()
    return entries
  }

  /** @throws as `read`, when the answer ended too early. */
  end(): void {
    try {
      this.#parser.write(this.#decoder.decode())
    } catch (error) {
      throw unreadable(error)
    }
    this.#parser.close()
    if (this.#open.length > 0) throw unreadable()
  }

  #begin(tag: SaxesTagNS): void {
    const name = nameOf(tag)
    if (this.#open.length === 0 && name !== 'multistatus') throw unreadable()
    if (this.#open.length >= maxDepth) throw unreadable()
    this.#open.push(name)
    if (name === 'response') {
      this.#href = undefined
      this.#status = 200
      this.#properties = new Map()
    }
    if (name === 'propstat') {
      this.#pending = new Map()
      this.#pendingStatus = ''
    }
    if (name === 'resourcetype') this.#pending.set(name, '')
    if (name === 'collection' && this.#open.at(-2) === 'resourcetype') {
      this.#pending.set('collection', '')
    }
    this.#text = textElements.has(name) ? '' : undefined
  }

  #addText(text: string): void {
    if (this.#text === undefined) return
    this.#text += text
    if (this.#text.length > maxTextLength) throw unreadable()
  }

  #end(tag: SaxesTagNS): void {
    const name = nameOf(tag)
    this.#open.pop()
    const text = this.#text
    this.#text = undefined
    if (text !== undefined) this.#keep(name, text)
    if (name === 'propstat') this.#endProperties(statusOf(this.#pendingStatus))
    if (name === 'response') this.#endResponse()
  }

  #keep(name: string, text: string): void {
    const parent = this.#open.at(-1)
    if (parent === 'prop' || parent === 'checksums') this.#pending.set(name, text)
    else if (name === 'status' && parent === 'propstat') this.#pendingStatus = text
    else if (name === 'status' && parent === 'response') this.#status = statusOf(text)
    else if (name === 'href' && parent === 'response') this.#href ??= text.trim()
  }

  #endProperties(status: number): void {
    if (isSuccess(status)) {
      for (const [property, value] of this.#pending) this.#properties.set(property, value)
    } else if (!absentProperty.has(status) && this.#demand !== 'nothing') this.#fail(status)
  }

  #endResponse(): void {
    const status = this.#status
    if (isSuccess(status)) this.#addEntry()
    else if (absentStatuses.has(status) || this.#demand === 'nothing') this.#isAbsent = true
    else this.#fail(status)
  }

  #addEntry(): void {
    const segments = this.#href === undefined ? undefined : segmentsOfHref(this.#href)
    if (segments === undefined) return
    const properties = this.#properties
    const lacking = lackingOf(properties, this.#demand)
    if (lacking !== undefined) {
      const message = `The WebDAV server does not report ${lacking} of ${this.#subject()}.`
      throw new UnclearAnswer('unavailable', message)
    }
    this.#entries.push(entryOf(segments, properties))
  }

  #fail(status: number): never {
    if (status === 0) throw unreadable()
    throw new StatusError(`PROPFIND of ${this.#subject()}`, { status, header: () => undefined })
  }

  #subject(): string {
    return (
      segmentsOfHref(this.#href ?? '')
        ?.join('/')
        .slice(0, 200) || 'a file'
    )
  }
}

function lackingOf(properties: Properties, demand: Demand): string | undefined {
  if (demand === 'nothing') return undefined
  if (!properties.has('resourcetype')) return 'the kind (DAV:resourcetype)'
  if (demand === 'kind' || properties.has('collection')) return undefined
  const size = numberOf(properties.get('getcontentlength'))
  return size === undefined || size < 0 ? 'the size (DAV:getcontentlength)' : undefined
}

/** @param properties their texts by local name; `collection` marks a folder */
export function entryOf(segments: DavPath, properties: Properties): DavEntry {
  return {
    segments,
    isFolder: properties.has('collection'),
    size: numberOf(properties.get('getcontentlength')) ?? 0,
    modifiedAtMs: timeOf(properties.get('getlastmodified')),
    etag: opaqueTag(properties.get('getetag')),
    record: properties.get(recordName),
    createdAtMs: timeOf(properties.get('creationdate')),
    md5: md5In(properties.get('checksum')),
    freeBytes: numberOf(properties.get('quota-available-bytes')),
    usedBytes: numberOf(properties.get('quota-used-bytes')),
  }
}

/**
 * The opaque part of an entity tag (RFC 9110 section 8.8.3). Apache marks a tag as weak for a second
 * or two after a write, and then as strong.
 */
export function opaqueTag(tag: string | undefined): string | undefined {
  const match = /^(?:W\/)?"?([^"]*)"?$/.exec((tag ?? '').trim())
  return match?.[1] === '' ? undefined : match?.[1]
}

/** The local name of a DAV element, of ownCloud's checksums, or of the record; '' for others. */
function nameOf(tag: SaxesTagNS | SaxesAttributeNS): string {
  if (tag.uri === davNamespace) return tag.local
  if (tag.uri === ownCloudNamespace && checksumNames.has(tag.local)) return tag.local
  return tag.uri === recordNamespace && tag.local === recordName ? recordName : ''
}

/** The MD5 in a list of checksums as ownCloud writes it: `SHA1:… MD5:… ADLER32:…`. */
export function md5In(checksums: string | undefined): string | undefined {
  return /(?:^|\s)MD5:([0-9a-f]{32})(?:\s|$)/i.exec(checksums ?? '')?.[1]?.toLowerCase()
}

/** The code in a DAV:status; 0 when there is none. */
function statusOf(text: string): number {
  return Number(/^\s*HTTP\/\S+\s+(\d{3})\b/i.exec(text)?.[1] ?? 0)
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300
}

function numberOf(text: string | undefined): number | undefined {
  return /^-?\d{1,15}$/.test(text?.trim() ?? '') ? Number(text) : undefined
}

function timeOf(text: string | undefined): number {
  const time = Date.parse(text ?? '')
  return Number.isFinite(time) ? time : 0
}

export function unreadable(cause?: unknown): DriveError {
  const message = 'The response is not valid WebDAV. Check the address in DRIVE.'
  return new DriveError('unavailable', message, { cause })
}
