import type { Database } from '../../platform/state/database.ts'

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
   * @param newId the id of a database that has none
   */
  async databaseId(newId: string): Promise<string> {
    const known = await this.#knownId()
    if (known !== undefined) return known
    await this.#database.write([{ sql: insertId, params: [newId] }])
    return (await this.#knownId()) ?? newId
  }

  /** The id of the drive that was last used at this location. */
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
