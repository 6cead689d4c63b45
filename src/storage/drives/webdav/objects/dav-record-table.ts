import type { Database } from '../../../../platform/state/database.ts'
import { LazyDeletes } from '../../../../platform/state/lazy-deletes.ts'
import {
  listStatements,
  parameterLists,
  readLists,
  valueLists,
} from '../../../../platform/state/statements.ts'
import { driveDigest } from '../../kit/drive-database.ts'

export interface FileVersion {
  readonly path: string
  /** At most 500 characters. */
  readonly version: string
}

/** Readers may look up the record of a file that was just deleted. */
const forgetDelayMs = 60_000
/** Bounds the memory of pending deletions: some 15 MB. */
const maxForgotten = 100_000

const selectOne = 'SELECT json FROM dav_records WHERE path_digest = ? AND version = ?'
/** CROSS keeps SQLite from scanning the whole table. */
const selectMany = (wanted: string) => `
  WITH wanted (path_digest, version) AS (VALUES ${wanted})
  SELECT dav_records.path_digest AS "pathDigest", json FROM wanted CROSS JOIN dav_records
  WHERE dav_records.path_digest = wanted.path_digest AND dav_records.version = wanted.version`
/** PostgreSQL takes a plain parameter in VALUES as text, but not if it is null. */
const wantedFile = '(CAST(? AS TEXT), CAST(? AS TEXT))'
const upsert = `INSERT INTO dav_records (path_digest, version, saved_at_ms, json) VALUES (?, ?, ?, ?)
  ON CONFLICT (path_digest, version) DO UPDATE SET
    saved_at_ms = excluded.saved_at_ms, json = excluded.json`
const deleteOlder = `DELETE FROM dav_records
  WHERE path_digest = ? AND version <> ? AND version <> ? AND saved_at_ms < ?`
/** Not a record that was saved since: versions may repeat. */
const deleteOne =
  'DELETE FROM dav_records WHERE path_digest = ? AND version = ? AND saved_at_ms < ?'
const insertFolder = 'INSERT INTO dav_folders (path_digest) VALUES (?) ON CONFLICT DO NOTHING'
const insertUpload = `INSERT INTO dav_uploads (id, saved_at_ms) VALUES (?, ?) ON CONFLICT DO NOTHING`

/**
 * A WebDAV drive's records in the database. A path is an object's natural path below the drive's root as text, bucket
 * first.
 */
export class DatabaseDavRecords {
  readonly #database: Database
  readonly #drive: string
  readonly #now: () => number
  readonly #forgotten: LazyDeletes

  /**
   * @param drive the drive's name; '' for the default drive
   * @param now the database's time
   */
  constructor(database: Database, drive = '', now: () => number = Date.now) {
    this.#database = database
    this.#now = now
    this.#drive = drive
    this.#forgotten = new LazyDeletes({
      delayMs: forgetDelayMs,
      maxWaiting: maxForgotten,
      remove: async (keys) => {
        await database.write(
          keys.map((key) => {
            const [pathDigest = '', version = '', forgottenAtMs] = key.split('\n')
            return { sql: deleteOne, params: [pathDigest, version, Number(forgottenAtMs)] }
          }),
        )
      },
    })
  }

  /** The JSON saved for this version of the file at this path; undefined when there is none. */
  async find({ path, version }: FileVersion): Promise<string | undefined> {
    const params = [this.#digest(path), version]
    const [row] = await this.#database.read<{ json: string }>(selectOne, params)
    return row?.json
  }

  /** As `find`, for any number of files with different paths. Maps paths to JSON. */
  async findMany(files: readonly FileVersion[]): Promise<Map<string, string>> {
    const pathOf = new Map(files.map(({ path }) => [this.#digest(path), path]))
    const wanted = files.map(({ path, version }) => [this.#digest(path), version])
    const rows = await readLists<{ pathDigest: string; json: string }>(
      this.#database,
      parameterLists(wanted, wantedFile),
      selectMany,
    )
    return new Map(rows.map(({ pathDigest, json }) => [pathOf.get(pathDigest) ?? pathDigest, json]))
  }

  /**
   * Saves durably. The record of the version `present` stays. Other records at this path stay for a
   * minute, because readers may still see their versions.
   */
  async save(file: FileVersion, json: string, present = file.version): Promise<void> {
    const pathDigest = this.#digest(file.path)
    const now = this.#now()
    await this.#database.write([
      { sql: upsert, params: [pathDigest, file.version, now, json] },
      { sql: deleteOlder, params: [pathDigest, file.version, present, now - forgetDelayMs] },
    ])
  }

  /** The version no longer exists. Its record is deleted later; a crash may lose the deletion. */
  forget({ path, version }: FileVersion): void {
    this.#forgotten.add(`${this.#digest(path)}\n${version}\n${this.#now()}`)
  }

  /** Those of these folders that were created for keys. */
  async ownFolders(paths: readonly string[]): Promise<Set<string>> {
    const pathOf = new Map(paths.map((path) => [this.#digest(path), path]))
    const rows = await readLists<{ pathDigest: string }>(
      this.#database,
      valueLists([...pathOf.keys()]),
      (list) =>
        `SELECT path_digest AS "pathDigest" FROM dav_folders WHERE path_digest IN (${list})`,
    )
    return new Set(rows.map(({ pathDigest }) => pathOf.get(pathDigest) ?? pathDigest))
  }

  async addOwnFolders(paths: readonly string[]): Promise<void> {
    await this.#database.write(
      paths.map((path) => ({ sql: insertFolder, params: [this.#digest(path)] })),
    )
  }

  async forgetFolders(paths: readonly string[]): Promise<void> {
    const deleteSome = (list: string) => `DELETE FROM dav_folders WHERE path_digest IN (${list})`
    await this.#database.write(
      listStatements(valueLists(paths.map((path) => this.#digest(path))), deleteSome),
    )
  }

  /** Whether `noteCompletion` was called for the upload (docs/paths/complete-on-webdav.md). */
  async isCompletionNoted(uploadId: string): Promise<boolean> {
    const select = 'SELECT id FROM dav_uploads WHERE id = ?'
    return (await this.#database.read(select, [uploadId])).length > 0
  }

  async noteCompletion(uploadId: string): Promise<void> {
    await this.#database.write([{ sql: insertUpload, params: [uploadId, this.#now()] }])
  }

  async forgetCompletion(uploadId: string): Promise<void> {
    await this.#database.write([
      { sql: 'DELETE FROM dav_uploads WHERE id = ?', params: [uploadId] },
    ])
  }

  /** Deletes the notes from before this time, in milliseconds since the epoch. */
  async sweepCompletions(beforeMs: number): Promise<void> {
    await this.#database.write([
      { sql: 'DELETE FROM dav_uploads WHERE saved_at_ms < ?', params: [beforeMs] },
    ])
  }

  #digest(path: string): string {
    return driveDigest(this.#drive, path)
  }

  /** Ends the deletions; call before the database is closed. */
  async close(): Promise<void> {
    await this.#forgotten.close()
  }
}
