import type { Database, Statement } from './database.ts'

/** Data that processes keep in memory until its revision changes. */
export type RevisionName = 'access-keys' | 'buckets' | 'gateways' | 'model-keys'

export type RevisionNumbers = ReadonlyMap<RevisionName, number>

interface RevisionRow {
  readonly name: RevisionName
  readonly revision: number
  readonly timeMs?: number
}

/** DatabaseClock.observe. */
export type OnTime = (timeMs: number, askedAtMs: number, answeredAtMs: number) => void

/**
 * The first statement of every transaction that changes data of `name`. These transactions run one after another, so a
 * row that then stores `currentRevision(name)` has a greater revision than all earlier rows.
 */
export function bumpRevision(name: RevisionName): Statement {
  return {
    sql: 'UPDATE revisions SET revision = revision + 1 WHERE name = ?',
    params: [name],
    mustChange: 1,
  }
}

/** An SQL expression. */
export function currentRevision(name: RevisionName): string {
  return `(SELECT revision FROM revisions WHERE name = '${name}')`
}

/** The revisions in the database. */
export class Revisions {
  readonly #database: Pick<Database, 'read' | 'clockSql'>
  readonly #onTime: OnTime | undefined
  readonly #sql: string

  /** @param onTime called with the database's time, if the database is not on this machine */
  constructor(database: Pick<Database, 'read' | 'clockSql'>, onTime?: OnTime) {
    this.#database = database
    this.#onTime = onTime
    const { clockSql } = database
    const time = clockSql === undefined ? '' : `, ${clockSql} AS "timeMs"`
    this.#sql = `SELECT name, revision${time} FROM revisions`
  }

  /** @throws DatabaseError */
  async read(): Promise<RevisionNumbers> {
    const askedAtMs = performance.now()
    const rows = await this.#database.read<RevisionRow>(this.#sql)
    const timeMs = rows[0]?.timeMs
    if (timeMs !== undefined) this.#onTime?.(timeMs, askedAtMs, performance.now())
    return new Map(rows.map(({ name, revision }) => [name, revision]))
  }
}
