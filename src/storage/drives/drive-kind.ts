import type { Log } from '../../platform/process/log.ts'
import type { Database } from '../../platform/state/database.ts'
import type { Drive } from './drive.ts'
import type { ClaimDrive } from './drive-notes.ts'
import type { VersioningOf } from './versions.ts'

/** A kind of drive, and where such a drive is. Plain data: it is sent to the workers. */
export interface Location {
  /** As `Drive.kind`. */
  readonly kind: string
}

/** A drive of the settings, with what all kinds have in common. */
export interface OwnDrive<Place extends Location> {
  /** '' for the default drive. */
  readonly name: string
  readonly drive: Place
  /** Whether nothing may be written to it (READ_ONLY). */
  readonly isReadOnly: boolean
}

/** An open drive with its state in the database. */
export interface OpenDrive {
  readonly drive: Drive
  close(): Promise<void>
}

export interface OpenParts<Own, Service> {
  readonly settings: Service
  /** The drive to open, one of them. */
  readonly own: Own
  readonly log: Log
  readonly database: Database
  readonly claim: ClaimDrive
  /** The database's time, for leases. */
  readonly now: () => number
  /** Reads the versioning of a bucket by its folder on this drive. Absent: no bucket has versions. */
  readonly versioningOf?: VersioningOf
  /** How many gateways run, including this one. Absent: only this one. */
  readonly gateways?: (() => number) | undefined
  /** The primary tests the file system of a folder. Absent: no test. */
  readonly role?: { readonly kind: 'primary' | 'worker' }
}

/** What two drives must not share: a path on a server, with `/` before each name. */
export interface DrivePlace {
  readonly server: string
  readonly path: string
}

/**
 * What the program has to know of a kind of drive before one is open: docs, settings, banner and commands use only this.
 * `drive-kinds.ts` lists the kinds.
 *
 * @typeParam Own the settings that each drive of this kind has for itself
 * @typeParam Service the other settings that it uses
 */
export interface DriveKind<
  Place extends Location,
  Own extends OwnDrive<Place> = OwnDrive<Place>,
  Service = object,
> {
  readonly kind: Place['kind']
  /** How DRIVE begins, and how it is written, for messages. */
  readonly scheme: string
  readonly form: string
  /** The interval between heartbeats, milliseconds. Each one writes to the drive. */
  readonly beatMs: number

  /**
   * Whether the objects are in the memory of the process that opened the drive: WORKERS must be 1, and `/-/api/reset` removes
   * all objects, without a session.
   */
  readonly isInMemory?: true
  /** Whether uploads are faster if one process receives all parts (docs/decisions/0016-google-multipart.md). */
  readonly prefersOneWorker?: true
  /** Whether one location means a different place for each account. */
  readonly isOfAccount?: true

  /** Undefined if the text does not name a drive of this kind. @throws SettingMistake, DriveError with a user-facing message */
  parse(text: string): Place | undefined
  /** As `Drive.deletes`. */
  deletes(own: Own): Drive['deletes']
  /** Mistakes in the settings that it needs. @param setting the drive's name in messages */
  mistakes?(own: Own, setting: string): string[]

  /** The folder on this machine that it serves; undefined or absent if it is elsewhere. */
  folder?(place: Place): string
  /** Where else the program writes on this machine. */
  staging?(settings: Service): string
  /** The same for all spellings of a location. @throws DriveError with a user-facing message */
  inOneForm?(place: Place): Promise<Place>
  /** Undefined or absent if it has nothing that another drive could share. */
  placeOf?(own: Own): DrivePlace
  /** The value of DRIVE without user and password, as the database remembers it, if `kind:path` does not say it. */
  shown?(own: Own): string
  /** Where it is, for the banner, without a password. */
  describe(place: Place): string

  /** @throws DriveError or SettingsError with a user-facing message. */
  open(parts: OpenParts<Own, Service>): Promise<OpenDrive>
}

/** The name of a drive's setting: `GDRIVE_SUBJECT_ARCHIVE`. */
export function nameFor(drive: string, setting: string): string {
  return drive === '' ? setting : `${setting}_${drive}`
}
