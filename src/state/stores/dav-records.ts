import type { DavRecords, FileVersion } from '../../drives/webdav/objects/dav-records.ts'
import type { Database } from '../database.ts'
import { listStatements, parameterLists, readLists, valueLists } from '../parameter-lists.ts'
import { textDigest } from '../text-digest.ts'
import { LazyDeletes } from './lazy-deletes.ts'

/** A reader that found a file just before it was deleted still looks up its record. */
const forgetDelayMs = 60_000
/** Bounds the memory of pending deletions: some 15 MB. */
const maxForgotten = 100_000

const selectOne = 'SELECT json FROM dav_records WHERE place = ? AND version = ?'
/** CROSS keeps SQLite from walking the whole table to meet the wanted ones. */
const selectMany = (wanted: string) => `
  WITH wanted (place, version) AS (VALUES ${wanted})
  SELECT dav_records.place AS place, json FROM wanted CROSS JOIN dav_records
  WHERE dav_records.place = wanted.place AND dav_records.version = wanted.version`
/** PostgreSQL takes a bare parameter in VALUES for text, but not when it is null. */
const wantedFile = '(CAST(? AS TEXT), CAST(? AS TEXT))'
const upsert = `INSERT INTO dav_records (place, version, saved_at_ms, json) VALUES (?, ?, ?, ?)
  ON CONFLICT (place, version) DO UPDATE SET
    saved_at_ms = excluded.saved_at_ms, json = excluded.json`
const deleteOlder = `DELETE FROM dav_records
  WHERE place = ? AND version <> ? AND version <> ? AND saved_at_ms < ?`
/** Not what any process has saved since: versions may repeat. */
const deleteOne = 'DELETE FROM dav_records WHERE place = ? AND version = ? AND saved_at_ms < ?'
const insertFolder = 'INSERT INTO dav_folders (place) VALUES (?) ON CONFLICT DO NOTHING'
const insertUpload = `INSERT INTO dav_uploads (id, saved_at_ms) VALUES (?, ?) ON CONFLICT DO NOTHING`

/** A WebDAV drive's records in the database. */
export class DatabaseDavRecords implements DavRecords {
  readonly #database: Database
  readonly #forgotten: LazyDeletes

  constructor(database: Database) {
    this.#database = database
    this.#forgotten = new LazyDeletes({
      delayMs: forgetDelayMs,
      maxWaiting: maxForgotten,
      remove: async (keys) => {
        await database.write(
          keys.map((key) => {
            const [place = '', version = '', forgottenAtMs] = key.split('\n')
            return { sql: deleteOne, params: [place, version, Number(forgottenAtMs)] }
          }),
        )
      },
    })
  }

  async find({ place, version }: FileVersion): Promise<string | undefined> {
    const params = [textDigest(place), version]
    const [row] = await this.#database.read<{ json: string }>(selectOne, params)
    return row?.json
  }

  async findMany(files: readonly FileVersion[]): Promise<Map<string, string>> {
    const placeOf = new Map(files.map(({ place }) => [textDigest(place), place]))
    const wanted = files.map(({ place, version }) => [textDigest(place), version])
    const rows = await readLists<{ place: string; json: string }>(
      this.#database,
      parameterLists(wanted, wantedFile),
      selectMany,
    )
    return new Map(rows.map(({ place, json }) => [placeOf.get(place) ?? place, json]))
  }

  async save(file: FileVersion, json: string, present = file.version): Promise<void> {
    const place = textDigest(file.place)
    const now = Date.now()
    await this.#database.write([
      { sql: upsert, params: [place, file.version, now, json] },
      { sql: deleteOlder, params: [place, file.version, present, now - forgetDelayMs] },
    ])
  }

  forget({ place, version }: FileVersion): void {
    this.#forgotten.add(`${textDigest(place)}\n${version}\n${Date.now()}`)
  }

  async ownFolders(places: readonly string[]): Promise<Set<string>> {
    const placeOf = new Map(places.map((place) => [textDigest(place), place]))
    const rows = await readLists<{ place: string }>(
      this.#database,
      valueLists([...placeOf.keys()]),
      (list) => `SELECT place FROM dav_folders WHERE place IN (${list})`,
    )
    return new Set(rows.map(({ place }) => placeOf.get(place) ?? place))
  }

  async addOwnFolders(places: readonly string[]): Promise<void> {
    await this.#database.write(
      places.map((place) => ({ sql: insertFolder, params: [textDigest(place)] })),
    )
  }

  async forgetFolders(places: readonly string[]): Promise<void> {
    const deleteSome = (list: string) => `DELETE FROM dav_folders WHERE place IN (${list})`
    await this.#database.write(listStatements(valueLists(places.map(textDigest)), deleteSome))
  }

  async isCompletionNoted(uploadId: string): Promise<boolean> {
    const select = 'SELECT id FROM dav_uploads WHERE id = ?'
    return (await this.#database.read(select, [uploadId])).length > 0
  }

  async noteCompletion(uploadId: string): Promise<void> {
    await this.#database.write([{ sql: insertUpload, params: [uploadId, Date.now()] }])
  }

  async forgetCompletion(uploadId: string): Promise<void> {
    await this.#database.write([
      { sql: 'DELETE FROM dav_uploads WHERE id = ?', params: [uploadId] },
    ])
  }

  async sweepCompletions(beforeMs: number): Promise<void> {
    await this.#database.write([
      { sql: 'DELETE FROM dav_uploads WHERE saved_at_ms < ?', params: [beforeMs] },
    ])
  }

  /** Stops deleting; call before the database is closed. */
  close(): void {
    this.#forgotten.close()
  }
}
