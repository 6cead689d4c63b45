import { SettingMistake } from '../../platform/process/setting-mistake.ts'
import { bucketName } from './parse-names.ts'
import { shown } from './setting.ts'

/** Names the default drive, the one in DRIVE. */
export const defaultDriveName = 'DEFAULT'

/** Where a bucket is. */
export interface BucketPlaceSetting {
  readonly bucket: string
  /** The name of its drive; '' for the default drive. */
  readonly drive: string
  /** The path of its folder on that drive. */
  readonly folder: string
}

const driveNamePattern = /^[A-Z][A-Z0-9_]*$/
const longestName = 255

/** `photos`, `backup@ARCHIVE` or `music@NAS:Music/Lossless`. */
export function bucketPlace(text: string): BucketPlaceSetting {
  const [, bucket = text, drive = '', folder] = /^([^@]*)@([^:]*)(?::(.*))?$/s.exec(text) ?? []
  bucketName(bucket)
  if (text.includes('@')) driveName(drive)
  const name = drive === defaultDriveName ? '' : drive
  return { bucket, drive: name, folder: folder === undefined ? bucket : folderOnDrive(folder) }
}

/** A bucket, or `@NAME` for all buckets of a drive. */
export function bucketOrDrive(text: string): string {
  if (text.startsWith('@')) driveName(text.slice(1))
  else bucketName(text)
  return text
}

/** How a place is written in ALLOWED_BUCKETS. */
export function placeText({ bucket, drive, folder }: BucketPlaceSetting): string {
  const path = folder === bucket ? '' : `:${folder}`
  if (drive === '' && path === '') return bucket
  return `${bucket}@${drive || defaultDriveName}${path}`
}

function driveName(name: string): void {
  if (driveNamePattern.test(name)) return
  throw new SettingMistake(
    `the name of a drive after @, in capital letters, digits and _; ${shown(name)} is not valid`,
  )
}

function folderOnDrive(folder: string): string {
  const names = folder.split('/')
  const isValid = names.every((name) => {
    const isDots = name === '' || name === '.' || name === '..'
    return !isDots && !/[\p{Cc}\\]/u.test(name) && Buffer.byteLength(name) <= longestName
  })
  if (isValid && names[0] !== '.bucketry') return folder
  throw new SettingMistake(
    `a folder on the drive such as Music/Lossless after the colon; ${shown(folder)} is not valid`,
  )
}
