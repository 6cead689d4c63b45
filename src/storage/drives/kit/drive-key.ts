import { hash } from 'node:crypto'

/**
 * A key of one drive, in tables that several drives share. Those of the default drive ('') are
 * unchanged. Others begin with the drive's name, whose capital letters begin no bucket's name and no
 * file's identity.
 */
export function driveKey(drive: string, key: string): string {
  return drive === '' ? key : `${drive}:${key}`
}

export function driveDigest(drive: string, key: string): string {
  return textDigest(driveKey(drive, key))
}

/**
 * Replaces a text of any length and characters in an index: PostgreSQL's indexes accept at most some
 * 2,700 bytes and no NUL. Equal texts have equal digests; their order is lost.
 */
function textDigest(text: string): string {
  return hash('sha256', text, 'base64url')
}
