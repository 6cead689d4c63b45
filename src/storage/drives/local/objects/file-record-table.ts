import type { Database, SqlValue, Statement } from '../../../../platform/state/database.ts'
import { LazyDeletes } from '../../../../platform/state/lazy-deletes.ts'
import {
  listStatements,
  parameterLists,
  readLists,
  valueLists,
} from '../../../../platform/state/parameter-lists.ts'
import { driveDigest, driveKey } from '../../kit/drive-database.ts'
import type { FileAtPath, FileRecord, FileRecords } from './file-records.ts'

/** Readers may look up the record of a file that was just deleted. */
const forgetDelayMs = 60_000
const forgetFolderDelayMs = 100

/** Bounds the memory of pending deletions: some 15 MB. */
const maxForgotten = 100_000

/** File systems keep different fractions of a second. */
const timeToleranceMs = 1

const selectOne = 'SELECT json FROM file_records WHERE identity = ?'
/** PostgreSQL takes a plain parameter in VALUES as text. */
const wantedFile = `(CAST(? AS TEXT), CAST(? AS BIGINT),
  CAST(? AS DOUBLE PRECISION), CAST(? AS DOUBLE PRECISION))`
/** CROSS keeps SQLite from scanning the whole table. */
const selectByPaths = (wanted: string) => `
  WITH wanted (path_digest, size, earliest, latest) AS (VALUES ${wanted})
  SELECT file_records.path_digest AS "pathDigest", json FROM wanted CROSS JOIN file_records
  WHERE file_records.path_digest = wanted.path_digest AND file_records.size = wanted.size
  AND modified_at_ms BETWEEN earliest AND latest
  ORDER BY saved_at_ms`
const upsert = `INSERT INTO file_records
    (identity, path_digest, size, modified_at_ms, saved_at_ms, json) VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT (identity) DO UPDATE SET
    path_digest = excluded.path_digest,
    size = excluded.size,
    modified_at_ms = excluded.modified_at_ms,
    saved_at_ms = excluded.saved_at_ms,
    json = excluded.json`
const insertFolder = 'INSERT INTO own_folders (identity) VALUES (?) ON CONFLICT DO NOTHING'
const selectFolder = 'SELECT identity FROM own_folders WHERE identity = ?'

/** The local drive's file metadata in the database. The column `path_digest` has the digest of a path. */
export class DatabaseFileRecords implements FileRecords {
  readonly #database: Database
  readonly #drive: string
  readonly #now: () => number
  readonly #files: LazyDeletes
  readonly #folders: LazyDeletes

  /**
   * @param drive the drive's name; '' for the default drive
   * @param now the database's time
   */
  constructor(database: Database, drive = '', now: () => number = Date.now) {
    this.#database = database
    this.#now = now
    this.#drive = drive
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
    const [row] = await this.#database.read<{ json: string }>(selectOne, [this.#key(identity)])
    return row?.json
  }

  async findMany(identities: readonly string[]): Promise<Map<string, string>> {
    const identityOf = new Map(identities.map((identity) => [this.#key(identity), identity]))
    const rows = await readLists<{ identity: string; json: string }>(
      this.#database,
      valueLists([...identityOf.keys()]),
      (list) => `SELECT identity, json FROM file_records WHERE identity IN (${list})`,
    )
    return new Map(rows.map(({ identity, json }) => [identityOf.get(identity) ?? identity, json]))
  }

  async findByPaths(paths: readonly FileAtPath[]): Promise<Map<string, string>> {
    const pathOf = new Map<string, string>()
    const wanted = paths.map(({ path, size, modifiedAtMs }) => {
      const pathDigest = driveDigest(this.#drive, path)
      pathOf.set(pathDigest, path)
      return [pathDigest, size, modifiedAtMs - timeToleranceMs, modifiedAtMs + timeToleranceMs]
    })
    const rows = await readLists<{ pathDigest: string; json: string }>(
      this.#database,
      parameterLists(wanted, wantedFile),
      selectByPaths,
    )
    // The newest comes last and wins.
    return new Map(rows.map(({ pathDigest, json }) => [pathOf.get(pathDigest) ?? pathDigest, json]))
  }

  async save(record: FileRecord, ownFolders: readonly string[]): Promise<void> {
    const { identity, path, size, modifiedAtMs, json } = record
    const ownKeys = ownFolders.map((folder) => this.#key(folder))
    const key = this.#key(identity)
    this.#files.cancel(key)
    for (const folder of ownKeys) this.#folders.cancel(folder)
    const pathDigest = driveDigest(this.#drive, path)
    const values: SqlValue[] = [key, pathDigest, size, modifiedAtMs, this.#now(), json]
    const folders = ownKeys.map((folder): Statement => ({ sql: insertFolder, params: [folder] }))
    await this.#database.write([{ sql: upsert, params: values }, ...folders])
  }

  forget(identity: string): void {
    this.#files.add(this.#key(identity))
  }

  async isOwnFolder(identity: string): Promise<boolean> {
    const rows = await this.#database.read(selectFolder, [this.#key(identity)])
    return rows.length > 0
  }

  forgetFolder(identity: string): void {
    this.#folders.add(this.#key(identity))
  }

  /** Ends the deletions; call before the database is closed. */
  async close(): Promise<void> {
    await Promise.all([this.#files.close(), this.#folders.close()])
  }

  #key(identity: string): string {
    return driveKey(this.#drive, identity)
  }

  async #delete(
    table: 'file_records' | 'own_folders',
    identities: readonly string[],
  ): Promise<void> {
    const deleteSome = (list: string) => `DELETE FROM ${table} WHERE identity IN (${list})`
    await this.#database.write(listStatements(valueLists(identities), deleteSome))
  }
}
