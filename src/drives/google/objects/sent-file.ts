import type { Attributes } from '../../attributes.ts'
import { DriveError } from '../../drive.ts'
import type { GoogleFile } from '../api/google-file.ts'
import { unpackAttributes } from './attribute-properties.ts'

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
