import { SettingMistake } from '../../platform/process/setting-mistake.ts'
import type { DriveKind } from '../../storage/drives/drive-kind.ts'
import {
  type GdriveOwn,
  type GdriveService,
  gdriveKind,
} from '../../storage/drives/google/gdrive-kind.ts'
import { type FileService, fileKind } from '../../storage/drives/local/file-kind.ts'
import { memoryKind } from '../../storage/drives/memory/memory-kind.ts'
import { type S3Own, s3Kind } from '../../storage/drives/s3/s3-kind.ts'
import { type WebdavService, webdavKind } from '../../storage/drives/webdav/webdav-kind.ts'

/** All kinds of drives, in the order of messages. */
const driveKinds = [fileKind, gdriveKind, webdavKind, s3Kind, memoryKind] as const

/** Where a drive is. */
export type DriveLocation = NonNullable<ReturnType<(typeof driveKinds)[number]['parse']>>

/** A drive of any kind, with the settings that any kind has for itself. */
export type AnyOwnDrive = GdriveOwn<DriveLocation> & S3Own<DriveLocation>

/** A kind, asked with all settings that any kind uses: a kind with settings of its own adds their types. */
export type AnyDriveKind = DriveKind<
  DriveLocation,
  AnyOwnDrive,
  FileService & GdriveService & WebdavService
>

const kindsByName: ReadonlyMap<string, AnyDriveKind> = new Map(
  // Each is only asked about its own locations.
  driveKinds.map((one) => [one.kind, one as unknown as AnyDriveKind]),
)

export function kindOf({ kind }: DriveLocation): AnyDriveKind {
  const found = kindsByName.get(kind)
  if (found === undefined) throw new Error(`there is no kind of drive ${kind}`)
  return found
}

/** The longest interval between heartbeats of any kind. */
export const longestBeatMs = Math.max(...driveKinds.map(({ beatMs }) => beatMs))

/** Whether a text is meant as a location of a drive. */
export function isDriveLocation(text: string): boolean {
  return driveKinds.some(({ scheme }) => text.startsWith(scheme))
}

/** The parser of DRIVE. */
export function driveLocation(text: string): DriveLocation {
  for (const kind of driveKinds) {
    const location = kind.parse(text)
    if (location !== undefined) return location
  }
  const forms = driveKinds.map(({ form }) => form)
  throw new SettingMistake(`${forms.slice(0, -1).join(', ')} or ${forms.at(-1)}`)
}
