import type { CallOptions, Database, Statement } from '../../../../platform/state/database.ts'
import { LazyDeletes } from '../../../../platform/state/lazy-deletes.ts'
import {
  listStatements,
  type ParameterList,
  parameterLists,
  readLists,
  valueLists,
} from '../../../../platform/state/statements.ts'
import { driveDigest, driveKey } from '../../kit/drive-database.ts'

/** Readers may look up the record of a file that was just deleted. */
const forgetDelayMs = 60_000
const forgetFolderDelayMs = 100

/** Bounds the memory of pending deletions: some 15 MB. */
const maxForgotten = 100_000

/** File systems keep different fractions of a second. */
const timeToleranceMs = 1

const selectAny = 'SELECT 1 FROM file_records LIMIT 1'
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
/** With lists of 512, SQLite takes twenty times as long for each record. */
const movedAtOnce = 64
const updatePaths = (moved: string) => `
  WITH moved (identity, path_digest) AS (VALUES ${moved})
  UPDATE file_records SET path_digest = moved.path_digest FROM moved
  WHERE file_records.identity = moved.identity`
const insertFolder = 'INSERT INTO own_folders (identity) VALUES (?) ON CONFLICT DO NOTHING'
const selectFolder = 'SELECT identity FROM own_folders WHERE identity = ?'

export interface FileAtPath {
  /** The path below the drive's root: no NUL, at most 4,096 UTF-8 bytes. */
  readonly path: string
  readonly size: number
  /** Milliseconds since the epoch, with a fraction. */
  readonly modifiedAtMs: number
}

export interface FileRecord extends FileAtPath {
  /** At most 100 ASCII characters. */
  readonly identity: string
  readonly json: string
}

export type SaveOptions = Pick<CallOptions, 'isRelaxed'>

/** Where the records of a drive are, for a thread that saves new ones by itself. */
export interface RecordPlace {
  /** See Database.file. */
  readonly file: string
  readonly drive: string
}

/** Saves the record, replacing one with the same identity. */
export function saveStatement(drive: string, record: FileRecord, nowMs: number): Statement {
  const { identity, path, size, modifiedAtMs, json } = record
  const keys = [driveKey(drive, identity), driveDigest(drive, path)]
  return { sql: upsert, params: [...keys, size, modifiedAtMs, nowMs, json] }
}

/**
 * The metadata of a local drive's files in the database. A record belongs to a file's identity, not to its path, and
 * never changes once saved, so every process can cache it without expiry. The column `path_digest` has the digest of a
 * path. Any method may reject with the database's own error; the drive reports it as `unavailable`.
 */
export class DatabaseFileRecords {
  /** Absent if the database has no file. */
  readonly place?: RecordPlace
  readonly #database: Database
  readonly #drive: string
  readonly #now: () => number
  readonly #files: LazyDeletes
  readonly #folders: LazyDeletes
  /** Whether the table is known to have had a record. */
  #isInUse = false

  /**
   * @param drive the drive's name; '' for the default drive
   * @param now the database's time
   */
  constructor(database: Database, drive = '', now: () => number = Date.now) {
    this.#database = database
    this.#now = now
    this.#drive = drive
    const { file } = database
    if (file !== undefined) this.place = { file, drive }
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

  /** The JSON saved under this identity; undefined if there is none. */
  async find(identity: string): Promise<string | undefined> {
    const [row] = await this.#database.read<{ json: string }>(selectOne, [this.#key(identity)])
    return row?.json
  }

  /** As `find`, for at most 1,000 identities. Those without a record are absent from the map. */
  async findMany(identities: readonly string[]): Promise<Map<string, string>> {
    if (await this.#isUnused()) return new Map()
    const identityOf = new Map(identities.map((identity) => [this.#key(identity), identity]))
    const rows = await readLists<{ identity: string; json: string }>(
      this.#database,
      valueLists([...identityOf.keys()]),
      (list) => `SELECT identity, json FROM file_records WHERE identity IN (${list})`,
    )
    return new Map(rows.map(({ identity, json }) => [identityOf.get(identity) ?? identity, json]))
  }

  /**
   * For each of at most 1,000 paths, the JSON of the newest record saved for it with exactly this size and, within 1 ms,
   * this modification time. Paths without one are absent from the map. This recognizes a drive that was copied to
   * another disk with its times.
   */
  async findByPaths(paths: readonly FileAtPath[]): Promise<Map<string, string>> {
    if (await this.#isUnused()) return new Map()
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

  /**
   * Saves the record, replacing one with the same identity, and stores `ownFolders` (identities of folders, often none,
   * some already stored) as created by the drive. All or nothing; durable when resolved, or when `flush` is.
   */
  async save(
    record: FileRecord,
    ownFolders: readonly string[],
    options: SaveOptions = {},
  ): Promise<void> {
    const ownKeys = ownFolders.map((folder) => this.#key(folder))
    this.#files.cancel(this.#key(record.identity))
    for (const folder of ownKeys) this.#folders.cancel(folder)
    const folders = ownKeys.map((folder): Statement => ({ sql: insertFolder, params: [folder] }))
    const statement = saveStatement(this.#drive, record, this.#now())
    await this.#database.write([statement, ...folders], options)
  }

  /** A thread has saved the record by itself (`saveStatement`), in this time. */
  saved(identity: string, durationMs: number): void {
    this.#database.committed?.(durationMs)
    this.#files.cancel(this.#key(identity))
  }

  /** Makes records durable whose `save` was relaxed. */
  async flush(): Promise<void> {
    await this.#database.flush?.()
  }

  /** As `save`, for folders alone. */
  async saveFolders(identities: readonly string[]): Promise<void> {
    const keys = identities.map((identity) => this.#key(identity))
    for (const key of keys) this.#folders.cancel(key)
    await this.#database.write(keys.map((key) => ({ sql: insertFolder, params: [key] })))
  }

  /** Gives the records of at most 1,000 files other paths. Files without a record get none. */
  async moved(files: readonly Pick<FileRecord, 'identity' | 'path'>[]): Promise<void> {
    const rows = files.map(({ identity, path }) => [
      this.#key(identity),
      driveDigest(this.#drive, path),
    ])
    const lists: ParameterList[] = []
    for (let start = 0; start < rows.length; start += movedAtOnce) {
      const some = rows.slice(start, start + movedAtOnce)
      lists.push(...parameterLists(some, '(CAST(? AS TEXT), CAST(? AS TEXT))'))
    }
    await this.#database.write(listStatements(lists, updatePaths))
  }

  /**
   * The file was deleted. Returns immediately, and deletes the record at least 60 s later, because readers may still
   * have the file open. May be lost in a crash: records of deleted files do no harm.
   */
  forget(identity: string): void {
    this.#files.add(this.#key(identity))
  }

  /** Whether `save` stored the folder with this identity. */
  async isOwnFolder(identity: string): Promise<boolean> {
    const rows = await this.#database.read(selectFolder, [this.#key(identity)])
    return rows.length > 0
  }

  /** The folder was deleted. Returns immediately; may be lost in a crash. */
  forgetFolder(identity: string): void {
    this.#folders.add(this.#key(identity))
  }

  /** Ends the deletions; call before the database is closed. */
  async close(): Promise<void> {
    await Promise.all([this.#files.close(), this.#folders.close()])
  }

  /**
   * Whether no process has saved a record yet. A first page of a folder that was filled by hand then takes a fifth less CPU
   * time than with two lists for each 64 of its files.
   */
  async #isUnused(): Promise<boolean> {
    if (!this.#isInUse) this.#isInUse = (await this.#database.read(selectAny, [])).length > 0
    return !this.#isInUse
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

/** What a drive needs of the table: a staging directory has none. */
export type FileRecords = Omit<Pick<DatabaseFileRecords, keyof DatabaseFileRecords>, 'close'>
