import { SpanKind } from '@opentelemetry/api'
import type {
  CallOptions,
  Database,
  SqlValue,
  Statement,
  WriteResult,
} from '../../state/database.ts'
import { UnmetChange } from '../../state/database.ts'
import { boundedText } from './bounded-text.ts'
import type { ChildSpans } from './child-spans.ts'

/** Of a transaction with thousands. */
const shownStatements = 20

/**
 * A database with a client span for each call, with the attributes of OpenTelemetry's semantic
 * conventions for databases. Texts of statements have no values, only `?`.
 */
export class TracedDatabase implements Database {
  readonly clockMs?: NonNullable<Database['clockMs']>
  readonly clockSql?: string
  readonly subscribe?: NonNullable<Database['subscribe']>
  readonly #database: Database
  readonly #spans: ChildSpans
  readonly #system: string

  constructor(database: Database, spans: ChildSpans) {
    this.#database = database
    this.#spans = spans
    this.#system = database.kind === 'postgres' ? 'postgresql' : database.kind
    if (database.clockSql !== undefined) this.clockSql = database.clockSql
    if (database.clockMs !== undefined) this.clockMs = database.clockMs.bind(database)
    if (database.subscribe !== undefined) this.subscribe = database.subscribe.bind(database)
  }

  get kind(): string {
    return this.#database.kind
  }

  get waiting(): number {
    return this.#database.waiting ?? 0
  }

  read<Row>(sql: string, params?: readonly SqlValue[], options?: CallOptions): Promise<Row[]> {
    return this.#run([sql], () => this.#database.read<Row>(sql, params, options))
  }

  write(statements: readonly Statement[], options?: CallOptions): Promise<WriteResult[]> {
    const texts = statements.map(({ sql }) => sql)
    return this.#run(texts, () => this.#database.write(statements, options))
  }

  check(): Promise<void> {
    return this.#run([], () => this.#database.check())
  }

  close(): Promise<void> {
    return this.#database.close()
  }

  #run<Result>(texts: readonly string[], work: () => Promise<Result>): Promise<Result> {
    // The summary is not made for work outside of a request.
    if (this.#spans.current === undefined) return work()
    const summary = summaryOf(texts)
    const attributes = {
      'db.system.name': this.#system,
      ...(texts.length > 0
        ? {
            'db.query.text': boundedText(texts.slice(0, shownStatements).join('; ')),
            'db.query.summary': summary,
          }
        : {}),
      ...(texts.length > 1 ? { 'db.operation.batch.size': texts.length } : {}),
    }
    const options = { kind: SpanKind.CLIENT, attributes, errorType }
    return this.#spans.run(summary === '' ? 'check' : summary, options, work)
  }
}

/** `SELECT uploads`; for several statements, the different ones in order. */
function summaryOf(texts: readonly string[]): string {
  return [...new Set(texts.map(summaryOfOne))].join(', ')
}

function summaryOfOne(sql: string): string {
  const verb = /\w+/.exec(sql)?.[0].toUpperCase() ?? ''
  const table = /\b(?:from|into|update)\s+(\w+)/i.exec(sql)?.[1]
  return table === undefined ? verb : `${verb} ${table}`
}

/** That another writer was first is an ordinary outcome. */
function errorType(error: unknown): string | undefined {
  if (error instanceof UnmetChange) return undefined
  return error instanceof Error ? error.name : 'Error'
}
