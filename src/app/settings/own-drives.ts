import { type DrivePlace, nameFor } from '../../storage/drives/drive-kind.ts'
import { areNested } from '../../storage/drives/route/mount.ts'
import { type DriveLocation, isDriveLocation, kindOf } from './drive-kinds.ts'
import { didYouMean, nearestName } from './nearest-name.ts'
import { type BucketPlaceSetting, defaultDriveName } from './parse-names.ts'
import { type SettingValues, settingsTable } from './tables/settings-table.ts'

/** The settings that each drive has: for the drive ARCHIVE, with `_ARCHIVE` after their names. */
export const settingsOfDrives = [
  'drive',
  'gdriveClientId',
  'gdriveClientSecret',
  'gdriveRefreshToken',
  'gdriveServiceAccount',
  'gdriveSubject',
  'gdriveSharedDrive',
  'gdriveDelete',
  's3DriveAccessKey',
  's3DriveSecretKey',
  's3DriveRegion',
  's3DriveAddressing',
  's3DriveCa',
] as const satisfies readonly (keyof SettingValues)[]

export type DriveValues = Pick<SettingValues, (typeof settingsOfDrives)[number]>

/** A drive, with the settings that it has for itself. */
export interface DriveSettings extends DriveValues {
  /** '' for the default drive. */
  readonly name: string
  /** Whether nothing may be written to it (READ_ONLY). */
  readonly isReadOnly: boolean
}

/** Other settings that begin with `DRIVE_`: no drive can have such a name. */
const otherSettings = Object.values(settingsTable)
  .map(({ name }): string => name)
  .filter((name) => name.startsWith('DRIVE_'))

/** The name of a drive's setting: `GDRIVE_SUBJECT_ARCHIVE`. */
export function nameOfDrive(key: (typeof settingsOfDrives)[number], drive: string): string {
  return nameFor(drive, settingsTable[key].name)
}

export interface NamedDrives {
  readonly names: readonly string[]
  readonly mistakes: readonly string[]
}

/** The drives that variables name, and mistakes in their names. */
export function namedDrives(
  environment: Readonly<Record<string, string | undefined>>,
): NamedDrives {
  const variables = Object.entries(environment).filter(([, value]) => value)
  const given = new Map(variables.map(([name, value]) => [name.replace(/_FILE$/, ''), value]))
  const names = [...given].flatMap(([name, value]) => driveIn(name, value) ?? []).sort()
  const wrong = names.includes(defaultDriveName)
    ? [`DRIVE_${defaultDriveName} is set: expected DRIVE, which is the default drive`]
    : []
  const strangers = [...given.keys()].flatMap((variable) => {
    const name = ownSettingIn(variable)
    if (name === undefined || names.includes(name)) return []
    const hint = didYouMean(name, names, 'the drive ')
    return [`${variable} is set, but DRIVE_${name} is not: there is no such drive${hint}`]
  })
  return {
    names: names.filter((name) => name !== defaultDriveName),
    mistakes: [...wrong, ...strangers],
  }
}

export function isOfNamedDrive(variable: string, value: string | undefined): boolean {
  const name = variable.replace(/_FILE$/, '')
  return driveIn(name, value) !== undefined || ownSettingIn(name) !== undefined
}

/** ARCHIVE for `GDRIVE_SUBJECT_ARCHIVE`. */
function ownSettingIn(variable: string): string | undefined {
  for (const key of settingsOfDrives) {
    const name = key === 'drive' ? undefined : nameBehind(variable, settingsTable[key].name)
    if (name !== undefined) return name
  }
  return undefined
}

/** ARCHIVE for `DRIVE_ARCHIVE`; undefined for other variables, and for misspelled other settings. */
function driveIn(variable: string, value: string | undefined): string | undefined {
  const name = nameBehind(variable, settingsTable.drive.name)
  if (name === undefined || otherSettings.includes(variable)) return undefined
  return isDriveLocation(value ?? '') || nearestName(variable, otherSettings) === undefined
    ? name
    : undefined
}

function nameBehind(variable: string, setting: string): string | undefined {
  if (!variable.startsWith(`${setting}_`)) return undefined
  const name = variable.slice(setting.length + 1)
  return name !== 'FILE' && /^[A-Z][A-Z0-9_]*$/.test(name) ? name : undefined
}

/** Mistakes in how buckets and drives belong together. */
export function placeMistakes(
  places: readonly BucketPlaceSetting[],
  drives: readonly string[],
): string[] {
  const mistakes = places.flatMap(({ bucket, drive }) => {
    if (drive === '' || drives.includes(drive)) return []
    const hint = didYouMean(drive, drives)
    return [`ALLOWED_BUCKETS has ${bucket}@${drive}, but DRIVE_${drive} is not set${hint}`]
  })
  for (const name of drives) {
    if (places.some(({ drive }) => drive === name)) continue
    mistakes.push(
      `DRIVE_${name} is set, but no bucket is on it: write BUCKET@${name} in ALLOWED_BUCKETS`,
    )
  }
  return [...mistakes, ...doubleBuckets(places), ...sharedFolders(places)]
}

function doubleBuckets(places: readonly BucketPlaceSetting[]): string[] {
  const names = places.map(({ bucket }) => bucket)
  const doubles = new Set(names.filter((name, index) => names.indexOf(name) !== index))
  return [...doubles].map((name) => `ALLOWED_BUCKETS has ${name} twice, in different places`)
}

function sharedFolders(places: readonly BucketPlaceSetting[]): string[] {
  return pairsOf(places).flatMap(([one, other]) => {
    const isSame = one.drive === other.drive && one.bucket !== other.bucket
    if (!isSame || !areNested(one.folder, other.folder)) return []
    return [
      `ALLOWED_BUCKETS has ${one.bucket} and ${other.bucket} in the same folder, or one in the other: expected separate folders`,
    ]
  })
}

/** Two drives at one place, or one inside the other, would take each other's files for objects. */
export function nestedDrives(drives: readonly DriveSettings[]): string[] {
  return pairsOf(drives).flatMap(([one, other]) => {
    const [place, otherPlace] = [placeOf(one), placeOf(other)]
    if (place === undefined || otherPlace === undefined) return []
    if (place.server !== otherPlace.server || !areNested(place.path, otherPlace.path)) return []
    const names = [one, other].map(({ name }) => nameOfDrive('drive', name))
    return [
      `${names.join(' and ')} are in the same place, or one in the other: expected separate folders`,
    ]
  })
}

/** Undefined also if the location is not valid. */
function placeOf(own: DriveSettings): DrivePlace | undefined {
  const location = own.drive as DriveLocation | undefined
  return location && kindOf(location).placeOf?.(own)
}

function pairsOf<Item>(items: readonly Item[]): (readonly [Item, Item])[] {
  return items.flatMap((one, index) => items.slice(index + 1).map((other) => [one, other] as const))
}

interface BucketsOfDrives {
  readonly bucketPlaces: readonly BucketPlaceSetting[]
  readonly drives: readonly DriveSettings[]
  readonly readOnly: readonly string[]
}

/** Whether READ_ONLY names the bucket or its drive. */
export function isReadOnlyBucket(
  bucket: string,
  { bucketPlaces, drives, readOnly }: BucketsOfDrives,
): boolean {
  const name = bucketPlaces.find((place) => place.bucket === bucket)?.drive ?? ''
  return readOnly.includes(bucket) || drives.find((one) => one.name === name)?.isReadOnly === true
}
