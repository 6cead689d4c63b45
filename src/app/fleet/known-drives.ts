import type { Database } from '../../platform/state/database.ts'
import { type AnyOwnDrive, kindOf } from '../settings/drive-kinds.ts'
import { shownDrive } from '../settings/shown-settings.ts'

/** The note `owner` (src/storage/drives/drive-notes.ts): which database a drive belongs to. */
export interface OwnerNote {
  readonly driveId: string
  readonly databaseId: string
  /** For people: where that database is, without a password. */
  readonly database: string
}

/** The note `alive`: the gateway that wrote it last. */
export interface AliveNote {
  readonly databaseId: string
  /** Its process (src/platform/process/identity.ts). */
  readonly process: string
  /** For people: the machine that the gateway runs on. */
  readonly host: string
  /** A new value at every heartbeat. */
  readonly beat: string
  /** Interval between heartbeats. Absent in notes of earlier versions. */
  readonly beatMs?: unknown
  /**
   * The id of another database, whose gateway asks whether the owner is alive. A note with a question is not a
   * heartbeat: the owner answers by replacing it with one.
   */
  readonly askedBy?: unknown
}

/** Undefined for an empty or damaged note. */
export function parseOwnerNote(text: string): OwnerNote | undefined {
  return parseNote(text, ['driveId', 'databaseId', 'database'])
}

export function parseAliveNote(text: string | undefined): AliveNote | undefined {
  return parseNote(text ?? '', ['databaseId', 'process', 'host', 'beat'])
}

/** On one line, because a drive may store a note as a file name. */
export function noteText(note: OwnerNote | AliveNote): string {
  return JSON.stringify(note)
}

function parseNote<Note extends object>(
  text: string,
  fields: readonly (keyof Note & string)[],
): Note | undefined {
  try {
    const note = JSON.parse(text) as Partial<Record<string, unknown>> | null
    return fields.every((field) => typeof note?.[field] === 'string') ? (note as Note) : undefined
  } catch {
    return undefined
  }
}

/**
 * Where a drive is, without user and password, as stored in the database. The first form is common to all
 * spellings of the location; the last is that of DRIVE, because a symbolic link may point elsewhere later.
 */
export type DriveLocations = readonly string[]

/** @throws DriveError with a user-facing message when the path of a folder can't be followed. */
export async function driveLocations(own: AnyOwnDrive): Promise<DriveLocations> {
  const { inOneForm, isOfAccount } = kindOf(own.drive)
  const drive = (await inOneForm?.(own.drive)) ?? own.drive
  const account = own.name !== '' && isOfAccount ? ` (drive ${own.name})` : ''
  const shown = [shownDrive({ ...own, drive }), shownDrive(own)]
  return [...new Set(shown.map((location) => location + account))]
}

const insertId = 'INSERT INTO database_id (one, id) VALUES (1, ?) ON CONFLICT (one) DO NOTHING'
const selectId = 'SELECT id FROM database_id'
const selectDrive = 'SELECT drive_id AS "driveId" FROM drives WHERE location = ?'
const upsertDrive = `INSERT INTO drives (location, drive_id) VALUES (?, ?)
  ON CONFLICT (location) DO UPDATE SET drive_id = excluded.drive_id`

/** The database's own id, and the ids of the drives that belong to it. */
export class DriveTable {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /**
   * The id of this database, the same for all processes that share it and after a restored backup.
   *
   * @param newId the id to store if the database has none
   */
  async databaseId(newId: string): Promise<string> {
    const known = await this.#knownId()
    if (known !== undefined) return known
    await this.#database.write([{ sql: insertId, params: [newId] }])
    return (await this.#knownId()) ?? newId
  }

  /** The id of the drive that was last in use at this location. */
  async driveAt(location: string): Promise<string | undefined> {
    const [row] = await this.#database.read<{ driveId: string }>(selectDrive, [location])
    return row?.driveId
  }

  async remember(location: string, driveId: string): Promise<void> {
    await this.#database.write([{ sql: upsertDrive, params: [location, driveId] }])
  }

  async #knownId(): Promise<string | undefined> {
    const [row] = await this.#database.read<{ id: string }>(selectId)
    return row?.id
  }
}
