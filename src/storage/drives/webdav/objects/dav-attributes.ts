import crypto from 'node:crypto'
import { parsedJson } from '../../../../platform/text/json-text.ts'
import type { Attributes } from '../../attributes.ts'
import { areAttributes } from '../../kit/stored-attributes.ts'
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

export function fitsProperty(text: string): boolean {
  return text.length <= maxPropertyLength
}

/** The record in this text, if it is a record of this version. */
export function readRecord(text: string | undefined, version: string): DavRecord | undefined {
  if (text === undefined || text === '') return undefined
  const record = parsedJson(text) as Partial<DavRecord> | null | undefined
  const isWhole = record?.version === version && areAttributes(record.attributes)
  return isWhole ? (record as DavRecord) : undefined
}
