import type { Database, SqlValue, Statement } from './database.ts'
import { LazyDeletes } from './lazy-deletes.ts'
import { valueLists } from './value-list.ts'

/** A reader that opened a file just before it went still looks for its record. */
const forgetDelayMs = 60_000
const forgetFolderDelayMs = 100

/** Bounds the memory of what waits to be deleted: some 15 MB. */
const maxForgotten = 100_000

/** File systems keep different fractions of a second. */
const timeToleranceMs = 1

export interface FileRecordRow {
  readonly identity: string
  readonly place: string
  readonly size: number
  /** Milliseconds since the epoch, with a fraction. */
  readonly modifiedAtMs: number
  readonly json: string
}

const selectOne = 'SELECT json FROM file_records WHERE identity = ?'
const selectByPlace = `SELECT json FROM file_records
  WHERE place = ? AND size = ? AND modified_at_ms BETWEEN ? AND ?
  ORDER BY saved_at_ms DESC LIMIT 1`
const upsert = `INSERT INTO file_records
    (identity, place, size, modified_at_ms, saved_at_ms, json) VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT (identity) DO UPDATE SET
    place = excluded.place,
    size = excluded.size,
    modified_at_ms = excluded.modified_at_ms,
    saved_at_ms = excluded.saved_at_ms,
    json = excluded.json`
const insertFolder = 'INSERT INTO own_folders (identity) VALUES (?) ON CONFLICT DO NOTHING'
const selectFolder = 'SELECT identity FROM own_folders WHERE identity = ?'

/** What the local drive knows of files beside their bytes; its methods are that drive's contract. */
export class DatabaseFileRecords {
  readonly #database: Database
  readonly #files: LazyDeletes
  readonly #folders: LazyDeletes

  constructor(database: Database) {
    this.#database = database
    this.#files = new LazyDeletes({
      delayMs: forgetDelayMs,
      maxWaiting: maxForgotten,
      remove: (identities) => this.#delete('file_records', identities),
    })
    this.#folders = new LazyDeletes({
      delayMs: forgetFolderDelayMs,
      maxWaiting: maxForgotten,
      remove: (identities) => this.#delete('own_folders', identities),
    })
  }

  async find(identity: string): Promise<string | undefined> {
    const [row] = await this.#database.read<{ json: string }>(selectOne, [identity])
    return row?.json
  }

  async findMany(identities: readonly string[]): Promise<Map<string, string>> {
    const found = new Map<string, string>()
    for (const { sql, params } of valueLists(identities)) {
      const rows = await this.#database.read<{ identity: string; json: string }>(
        `SELECT identity, json FROM file_records WHERE identity IN ${sql}`,
        params,
      )
      for (const { identity, json } of rows) found.set(identity, json)
    }
    return found
  }

  async findByPlace(
    place: string,
    size: number,
    modifiedAtMs: number,
  ): Promise<string | undefined> {
    const [row] = await this.#database.read<{ json: string }>(selectByPlace, [
      storedPlace(place),
      size,
      modifiedAtMs - timeToleranceMs,
      modifiedAtMs + timeToleranceMs,
    ])
    return row?.json
  }

  async save(record: FileRecordRow, ownFolders: readonly string[]): Promise<void> {
    const { identity, place, size, modifiedAtMs, json } = record
    this.#files.cancel(identity)
    for (const folder of ownFolders) this.#folders.cancel(folder)
    const values: SqlValue[] = [identity, storedPlace(place), size, modifiedAtMs, Date.now(), json]
    const folders = ownFolders.map((folder): Statement => ({ sql: insertFolder, params: [folder] }))
    await this.#database.write([{ sql: upsert, params: values }, ...folders])
  }

  /** Deletes the record a minute or two later, unless it is saved again. */
  forget(identity: string): void {
    this.#files.add(identity)
  }

  async isOwnFolder(identity: string): Promise<boolean> {
    const rows = await this.#database.read(selectFolder, [identity])
    return rows.length > 0
  }

  forgetFolder(identity: string): void {
    this.#folders.add(identity)
  }

  /** Stops deleting; call before the database is closed. */
  close(): void {
    this.#files.close()
    this.#folders.close()
  }

  async #delete(
    table: 'file_records' | 'own_folders',
    identities: readonly string[],
  ): Promise<void> {
    const statements = valueLists(identities).map(
      ({ sql, params }): Statement => ({
        sql: `DELETE FROM ${table} WHERE identity IN ${sql}`,
        params,
      }),
    )
    await this.#database.write(statements)
  }
}

/** As JSON: PostgreSQL's TEXT holds every character but U+0000, which a key may contain. */
function storedPlace(place: string): string {
  return JSON.stringify(place)
}
