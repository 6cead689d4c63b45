import mime from 'mime'
import type { Attributes } from '../../attributes.ts'
import type { ObjectName } from '../../drive.ts'
import { DriveError } from '../../drive-error.ts'
import { type GoogleFile, googleTypePrefix } from '../api/google-file.ts'
import { deepProperty, googlePathOf, nameOfDeepSegment, nameOfSegment } from '../google-names.ts'
import { unpackAttributes } from './attribute-properties.ts'

const octets = 'application/octet-stream'

/** The type that Drive shows. Given one of Google's own types, Drive would convert the file. */
export function mimeTypeOf({ key }: ObjectName, attributes?: Attributes): string {
  const given = attributes?.headers['content-type']?.split(';')[0]?.trim().toLowerCase()
  const isUsable = given !== undefined && /^[\w.+-]+\/[\w.+-]+$/.test(given)
  if (isUsable && given !== octets && !given.startsWith(googleTypePrefix)) return given
  return mime.getType(key) ?? octets
}

/** The file's name, and the properties that the name needs. */
export function nameOf({ key }: ObjectName) {
  const { segment, isDeep } = googlePathOf(key)
  if (!isDeep) return { name: nameOfSegment(segment), appProperties: {} }
  return { name: nameOfDeepSegment(segment), appProperties: { [deepProperty]: '1' } }
}

/** The change that moves a file from any folder to this one. */
export function parentsChange(file: GoogleFile, parent: string) {
  const removeParents = file.parents.filter((id) => id !== parent)
  return file.parents.includes(parent) ? {} : { addParents: [parent], removeParents }
}

/** Whether Google has these bytes, by their size and, if reported, their MD5. */
export function isStored(file: GoogleFile, size: number, md5: string): boolean {
  return file.size === size && (file.md5Checksum ?? md5) === md5
}

/** @throws DriveError `unavailable` if Google has other bytes than were sent. */
export function assertStored(file: GoogleFile, size: number, md5: string): GoogleFile {
  if (isStored(file, size, md5)) return file
  throw damaged(file, size, md5)
}

/** Whether the file has the properties that were sent with the bytes. */
export function hasAttributes(file: GoogleFile, attributes: Attributes): boolean {
  const unpacked = unpackAttributes(file.appProperties, file.md5Checksum)
  if (unpacked === undefined || !unpacked.isWhole) return unpacked !== undefined
  return JSON.stringify(unpacked.attributes) === JSON.stringify(attributes)
}

/** The error if Google has other bytes than were sent. */
export function damaged(file: GoogleFile, size: number, md5: string): DriveError {
  const has = `${file.size ?? 0} bytes with MD5 ${file.md5Checksum ?? 'unknown'}`
  return new DriveError(
    'unavailable',
    `Google Drive stored different bytes from those sent: ${has}, not ${size} with ${md5}. Try again.`,
  )
}
