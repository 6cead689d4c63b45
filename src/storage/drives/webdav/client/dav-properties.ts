import { type ResponseHead, StatusError } from './dav-error.ts'
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
