import { SpanKind } from '@opentelemetry/api'
import { type Database, type Statement, UnmetChange } from '../../../platform/state/database.ts'
import { type Observed, type Observer, observed } from '../observed.ts'
import { boundedText, type ChildSpans } from './child-spans.ts'

/** Of a transaction with thousands. */
const shownStatements = 20

const tracedCalls = {
  read: { name: 'read' },
  write: { name: 'write' },
  check: { name: 'check' },
} satisfies Observed

/**
 * The database with a client span for each call within a request, with the attributes of OpenTelemetry's semantic
 * conventions for databases. Texts of statements have no values, only `?`.
 */
export function tracedDatabase(database: Database, spans: ChildSpans): Database {
  const system = database.kind === 'postgres' ? 'postgresql' : database.kind
  const observer: Observer = {
    call(_name, [first], work) {
      // The summary is not made for work outside of a request.
      if (spans.current === undefined) return work()
      const texts = textsOf(first)
      const attributes = { 'db.system.name': system, ...describe(texts) }
      const options = { kind: SpanKind.CLIENT, attributes, errorType }
      return spans.run(summaryOf(texts) || 'check', options, work)
    },
    ofResult: () => undefined,
  }
  return observed(database, tracedCalls, observer)
}

/** The statements of a call, from its first argument: a text, a transaction, or none. */
function textsOf(first: unknown): readonly string[] {
  if (typeof first === 'string') return [first]
  return Array.isArray(first) ? first.map(({ sql }: Statement) => sql) : []
}

function describe(texts: readonly string[]) {
  if (texts.length === 0) return {}
  return {
    'db.query.text': boundedText(texts.slice(0, shownStatements).join('; ')),
    'db.query.summary': summaryOf(texts),
    ...(texts.length > 1 ? { 'db.operation.batch.size': texts.length } : {}),
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
