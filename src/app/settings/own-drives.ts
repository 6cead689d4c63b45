import { nameFor } from '../../storage/drives/drive-kind.ts'
import { isDriveLocation } from './drive-kinds.ts'
import { didYouMean, nearestName } from './nearest-name.ts'
import { type BucketPlaceSetting, defaultDriveName } from './parse-names.ts'
import { type DriveValues, settingsOfDrives, settingsTable } from './tables/settings-table.ts'

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
export function nameOfDrive(key: keyof DriveValues, drive: string): string {
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
