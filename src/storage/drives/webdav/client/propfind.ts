import { DriveError } from '../../drive-error.ts'
import type { DavResponse } from './dav-client.ts'
import { type ResponseHead, StatusError, unreachable } from './dav-error.ts'
import { type DavPath, segmentsOfHref } from './dav-path.ts'
import {
  type DavEntry,
  type Demand,
  entryOf,
  MultistatusReader,
  ownCloudNamespace,
  recordName,
  recordNamespace,
  unreadable,
} from './multistatus.ts'

export const xmlHeaders = { 'content-type': 'application/xml; charset=utf-8' }

const prologue = `<?xml version="1.0" encoding="utf-8"?>`
const fileProperties =
  '<d:resourcetype/><d:getcontentlength/><d:getlastmodified/><d:getetag/><s:record/>'
const propfind = (properties: string) =>
  Buffer.from(
    `${prologue}<d:propfind xmlns:d="DAV:" xmlns:s="${recordNamespace}" xmlns:oc="${ownCloudNamespace}"><d:prop>${properties}</d:prop></d:propfind>`,
  )

/** Bodies of PROPFIND (RFC 4918 section 9.1). */
export const askForFile = propfind(fileProperties)
export const askForWritten = propfind(`${fileProperties}<oc:checksums/>`)
export const askForNames = propfind('<d:resourcetype/>')
export const askForFolder = propfind(
  '<d:resourcetype/><d:getlastmodified/><d:creationdate/>' +
    '<d:quota-available-bytes/><d:quota-used-bytes/>',
)

/** The body of a PROPPATCH that sets our dead property (RFC 4918 section 9.2). */
export function recordUpdate(json: string): Uint8Array {
  // JSON has no character that XML cannot contain, but may have `]]>` and markup.
  const text = json.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  const property = `<s:${recordName}>${text}</s:${recordName}>`
  return Buffer.from(
    `${prologue}<d:propertyupdate xmlns:d="DAV:" xmlns:s="${recordNamespace}">` +
      `<d:set><d:prop>${property}</d:prop></d:set></d:propertyupdate>`,
  )
}

/** The one entry of a multistatus answer; undefined when the answer reports it as absent. */
export function entryIn(text: string, demand: Demand): DavEntry | undefined {
  const reader = new MultistatusReader(demand)
  const [entry] = reader.read(Buffer.from(text))
  reader.end()
  if (entry === undefined && !reader.isAbsent) throw unreadable()
  return entry
}

/**
 * The folder that a redirect to the same path with a slash indicates.
 * @throws DriveError for any other redirect
 */
export function redirectedFolder(path: DavPath, answer: ResponseHead): DavEntry {
  const location = answer.header('location') ?? ''
  const isSamePath = segmentsOfHref(location)?.join('/') === path.join('/')
  if (!isSamePath || !location.endsWith('/')) throw new StatusError('PROPFIND', answer)
  return entryOf(path, new Map([['collection', '']]))
}

/** Larger folders are refused: their listing would not fit in memory. */
const maxChildren = 250_000

export interface DavChild extends DavEntry {
  readonly name: string
}

export interface DavFolder<Kept = DavChild> {
  readonly self: DavEntry
  readonly children: readonly Kept[]
}

export interface FolderReading<Kept> {
  readonly demand: Demand
  /** Reading stops as soon as this many are known. */
  readonly limit: number
  /** Selects what to keep of a child: a hundred thousand long records would fill the memory. */
  keep(child: DavChild): Kept
}

/**
 * Reads the answer to a PROPFIND with depth 1 while it arrives; undefined if it is not of a folder.
 * @throws as MultistatusReader.read, and DriveError `unavailable` when the answer is cut off
 */
export async function readDavFolder<Kept>(
  response: DavResponse,
  reading: FolderReading<Kept>,
): Promise<DavFolder<Kept> | undefined> {
  try {
    return await parseFolder(response, reading)
  } catch (error) {
    throw error instanceof DriveError ? error : unreachable(error)
  }
}

async function parseFolder<Kept>(
  { body }: DavResponse,
  { limit, demand, keep }: FolderReading<Kept>,
): Promise<DavFolder<Kept> | undefined> {
  const reader = new MultistatusReader(demand)
  const children = new Map<string, Kept>()
  let self: DavEntry | undefined
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    for (const entry of reader.read(chunk)) {
      // RFC 4918 section 9.1 defines no order, but all servers begin with the folder itself.
      self ??= entry
      const name = childNameOf(self, entry)
      if (name !== undefined) children.set(name, keep({ ...entry, name }))
    }
    if (children.size > maxChildren) throw tooMany()
    // Leaving the loop ends the connection.
    if (self !== undefined && children.size >= limit) {
      return { self, children: [...children.values()] }
    }
  }
  reader.end()
  if (self === undefined && !reader.isAbsent) throw unreadable()
  return self?.isFolder === true ? { self, children: [...children.values()] } : undefined
}

/** The last name of a direct child of the folder; undefined for everything else. */
function childNameOf(folder: DavEntry, { segments }: DavEntry): string | undefined {
  const depth = folder.segments.length
  if (segments.length !== depth + 1) return undefined
  const isBelow = folder.segments.every((segment, index) => segments[index] === segment)
  return isBelow ? segments[depth] : undefined
}

function tooMany(): DriveError {
  return new DriveError('unavailable', `A folder holds more than ${maxChildren} names.`)
}
