import type { Database, Statement } from '../../platform/state/database.ts'
import { rowInserts } from '../../platform/state/statements.ts'

/** `call`: a call of the log; `response`: which connection and key a response belongs to. */
export type RecordKind = 'call' | 'response'

export interface ModelRecord {
  /** Unique among those of its kind. */
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly atMs: number
  /** Opaque here. */
  readonly json: string
}

/** The maximum number of records of each kind. */
const kept = { call: 1_000, response: 200_000 } as const satisfies Record<RecordKind, number>

/** OpenAI keeps responses for 30 days (https://platform.openai.com/docs/guides/your-data). */
const responsesKeptMs = 30 * 86_400_000

const insert = 'INSERT INTO model_records (kind, record_id, at_ms, json)'
const columns = 'record_id AS "id", at_ms AS "atMs", json'

/** What is kept about single calls, by all processes together. */
export class ModelRecordTable {
  readonly #database: Pick<Database, 'read' | 'write'>

  constructor(database: Pick<Database, 'read' | 'write'>) {
    this.#database = database
  }

  /** Adds records. Those with a known ID are left out: a later answer cannot take a response over. */
  async add(kind: RecordKind, records: readonly ModelRecord[]): Promise<void> {
    const rows = records.map(({ id, atMs, json }) => [kind, id, atMs, json])
    const inserts = rowInserts(insert, rows).map(({ sql, params = [] }) => {
      return { sql: `${sql} ON CONFLICT (kind, record_id) DO NOTHING`, params }
    })
    // The log is trimmed at once, because its readers see all of it.
    await this.#database.write([...inserts, ...(kind === 'call' ? [trim(kind)] : [])])
  }

  /** The JSON of a record. */
  async find(kind: RecordKind, id: string): Promise<string | undefined> {
    const sql = 'SELECT json FROM model_records WHERE kind = ? AND record_id = ?'
    const [found] = await this.#database.read<Pick<ModelRecord, 'json'>>(sql, [kind, id])
    return found?.json
  }

  /** Newest first. @param after only older records than this one */
  page(
    kind: RecordKind,
    limit: number,
    { atMs, id }: Pick<ModelRecord, 'atMs' | 'id'> = { atMs: Number.MAX_SAFE_INTEGER, id: '' },
  ): Promise<ModelRecord[]> {
    const sql = `SELECT ${columns} FROM model_records
      WHERE kind = ? AND (at_ms < ? OR (at_ms = ? AND record_id < ?))
      ORDER BY at_ms DESC, record_id DESC LIMIT ?`
    return this.#database.read(sql, [kind, atMs, atMs, id, limit])
  }

  /** Removes what is too old, or too much. */
  async sweep(nowMs: number): Promise<void> {
    const sql = `DELETE FROM model_records WHERE kind = 'response' AND at_ms < ?`
    await this.#database.write([{ sql, params: [nowMs - responsesKeptMs] }, trim('response')])
  }
}

function trim(kind: RecordKind): Statement {
  const sql = `DELETE FROM model_records WHERE kind = ? AND at_ms < (SELECT at_ms FROM model_records
    WHERE kind = ? ORDER BY at_ms DESC, record_id DESC LIMIT 1 OFFSET ?)`
  return { sql, params: [kind, kind, kept[kind] - 1] }
}
