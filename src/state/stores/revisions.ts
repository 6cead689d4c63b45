import type { Database, Statement } from '../database.ts'

/** What processes keep in memory until its revision changes. */
export type RevisionName = 'access-keys' | 'buckets' | 'gateways'

export type RevisionNumbers = ReadonlyMap<RevisionName, number>

interface RevisionRow {
  readonly name: RevisionName
  readonly revision: number
}

/**
 * The first statement of every transaction that changes what `name` stands for. Such transactions follow one
 * another, so a row that then stores `currentRevision(name)` has a greater revision than all earlier ones.
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
  readonly #database: Pick<Database, 'read'>

  constructor(database: Pick<Database, 'read'>) {
    this.#database = database
  }

  /** @throws DatabaseError */
  async read(): Promise<RevisionNumbers> {
    const rows = await this.#database.read<RevisionRow>('SELECT name, revision FROM revisions')
    return new Map(rows.map(({ name, revision }) => [name, revision]))
  }
}
