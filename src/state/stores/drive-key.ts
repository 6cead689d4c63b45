import { textDigest } from '../text-digest.ts'

/**
 * A key of one drive, in tables that several drives share. Those of the default drive ('') are
 * unchanged. Others begin with the drive's name, whose capital letters begin no bucket's name and no
 * file's identity.
 */
export function driveKey(drive: string, key: string): string {
  return drive === '' ? key : `${drive}:${key}`
}

/** The digest of a key of one drive. */
export function driveDigest(drive: string, key: string): string {
  return textDigest(driveKey(drive, key))
}
