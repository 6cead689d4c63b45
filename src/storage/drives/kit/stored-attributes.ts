import crypto from 'node:crypto'
import { parsedJson } from '../../../platform/text/json-text.ts'
import type { Attributes } from '../attributes.ts'
import { typeOfName } from './type-of-name.ts'

/** JSON in ASCII, because XML, file properties and databases can't store every character. */
export function asciiJson(value: object): string {
  return JSON.stringify(value).replace(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** Undefined for text from another program or an incompatible version of Bucketry. */
export function parseAttributes(json: string | undefined): Attributes | undefined {
  const value = json === undefined ? undefined : parsedJson(json)
  return areAttributes(value) ? value : undefined
}

export function areAttributes(value: unknown): value is Attributes {
  const { etag, headers, metadata } = (value ?? {}) as Partial<Attributes>
  return typeof etag === 'string' && isObject(headers) && isObject(metadata)
}

/** The attributes of a file without a record. They stay the same while the file does not change. */
export function provisionalAttributes(name: string, version: string): Attributes {
  const headers = { 'content-type': typeOfName(name) }
  return { etag: provisionalEtag(version), headers, metadata: {} }
}

/** Contains a `-`, so that clients do not take it for an MD5 (docs/contract/object-storage.md, "ETags"). */
export function provisionalEtag(version: string): string {
  return `${crypto.hash('md5', version)}-1`
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}
