import crypto from 'node:crypto'
import mime from 'mime'
import type { Attributes } from '../../attributes.ts'
import type { DavEntry } from '../client/multistatus.ts'
import type { DavAbilities } from '../probe/dav-abilities.ts'

/** The stored metadata of one version of a file. */
export interface DavRecord {
  readonly version: string
  readonly attributes: Attributes
  /** The upload that became this version. */
  readonly uploadId?: string
}

/** Longer records are kept in the database: servers keep properties in small stores. */
const maxPropertyLength = 16 * 1024

/** Identifies the version of a file. An edit by hand creates another version. */
export function versionOf(
  entry: Pick<DavEntry, 'etag' | 'size' | 'modifiedAtMs'>,
  by: DavAbilities['versions'],
): string {
  const { etag, size, modifiedAtMs } = entry
  if (by === 'time' || etag === undefined) return `t ${modifiedAtMs} ${size}`
  const tag = etag.length > 200 ? crypto.hash('sha256', etag, 'base64url') : etag
  return `e ${tag} ${size}`
}

/** The record as ASCII text: XML and databases each lack some characters. */
export function recordText(record: DavRecord): string {
  return JSON.stringify(record).replace(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

export function fitsProperty(text: string): boolean {
  return text.length <= maxPropertyLength
}

/** The record in this text, if it is a record of this version. */
export function readRecord(text: string | undefined, version: string): DavRecord | undefined {
  if (text === undefined || text === '') return undefined
  try {
    const record = JSON.parse(text) as Partial<DavRecord>
    const { attributes } = record
    const isWhole =
      record.version === version &&
      typeof attributes?.etag === 'string' &&
      typeof attributes.headers === 'object' &&
      typeof attributes.metadata === 'object'
    return isWhole ? (record as DavRecord) : undefined
  } catch {
    // Written by another version of Bucketry or another program: it is ignored.
    return undefined
  }
}

/** The attributes of a file without a record: stable while the file does not change. */
export function provisionalAttributes(key: string, version: string): Attributes {
  const type = mime.getType(key) ?? 'application/octet-stream'
  return { etag: provisionalEtag(version), headers: { 'content-type': type }, metadata: {} }
}

/** Contains a `-`, so that clients do not take it for an MD5 (docs/contract/object-storage.md, "ETags"). */
export function provisionalEtag(version: string): string {
  return `${crypto.hash('md5', version)}-1`
}
