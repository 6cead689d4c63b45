import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type Attributes,
  type Context,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { type Statement, UnmetChange } from '../../../platform/state/database.ts'
import { DriveError, type DriveErrorKind } from '../../../storage/drives/drive-error.ts'
import type { BegunSpan, CallRecord, CallSpans } from '../calls.ts'

interface ChildOptions {
  readonly kind?: SpanKind
  readonly attributes?: Attributes
  /** Default: the current span. */
  readonly parent?: Context | undefined
  /** The value of error.type; undefined for a rejection that is an ordinary outcome. */
  readonly errorType: (error: unknown) => string | undefined
}

/**
 * Child spans of the span of a request. There is no span for work outside of a request, for work that continues in
 * the background after the reply, or for a request that is not sampled.
 */
export class ChildSpans {
  readonly #tracer: Tracer
  readonly #current = new AsyncLocalStorage<Context>()

  constructor(tracer: Tracer) {
    this.#tracer = tracer
  }

  /** The current context. */
  get current(): Context | undefined {
    return this.#current.getStore()
  }

  /** Runs work in a context. */
  within<Result>(context: Context, work: () => Result): Result {
    return this.#current.run(context, work)
  }

  /** Undefined if there is no recording parent. */
  begin(name: string, options: ChildOptions): BegunSpan<Pick<CallRecord, 'error'>> | undefined {
    const { kind = SpanKind.INTERNAL, attributes = {}, errorType } = options
    const parent = options.parent ?? this.current
    if (parent === undefined || trace.getSpan(parent)?.isRecording() !== true) return undefined
    const span = this.#tracer.startSpan(name, { kind, attributes }, parent)
    return {
      run: (work) => this.within(trace.setSpan(parent, span), work),
      end({ error }) {
        if (error !== undefined) markFailed(span, errorType(error))
        span.end()
      },
    }
  }
}

/** Marks the span as failed. Does not record the error's message, which may quote paths and keys. */
export function markFailed(span: Span, errorType: string | undefined): void {
  if (errorType === undefined) return
  span.setAttribute('error.type', errorType)
  span.setStatus({ code: SpanStatusCode.ERROR })
}

function nameOfError(error: unknown): string {
  return error instanceof Error ? error.name : 'Error'
}

/** Maximum length of an attribute in characters: a key has up to 1,024 bytes, a path of a client up to 64 KiB. */
export const maxAttributeLength = 1_024

/** Returns a copy: a substring would keep the whole text in memory until its span is sent. */
export function boundedText(text: string): string {
  return Buffer.from(text.slice(0, maxAttributeLength)).toString()
}

/** Kinds of errors that are ordinary outcomes of a client's request. */
const ordinary: ReadonlySet<DriveErrorKind> = new Set(['condition', 'not-found', 'changed'])

/**
 * A span `drive.NAME` for each call of a drive within a request.
 *
 * @param drive the name of the drive, or its kind
 */
export function driveSpans(children: ChildSpans, drive: string, parent?: Context): CallSpans {
  const attributes = { 'bucketry.drive': drive }
  return {
    begin: (name) =>
      children.begin(`drive.${name}`, { attributes, parent, errorType: driveErrorType }),
    // An open object or a draft may still be in use after the handler returns.
    ofResult: () => driveSpans(children, drive, children.current),
  }
}

function driveErrorType(error: unknown): string | undefined {
  if (error instanceof DriveError) return ordinary.has(error.kind) ? undefined : error.kind
  return nameOfError(error)
}

/** Maximum number of statements to show per transaction, which may have thousands. */
const shownStatements = 20

/**
 * A client span for each database call within a request, with the attributes of OpenTelemetry's semantic conventions
 * for databases. Statement texts contain `?` instead of values.
 *
 * @param kind of Database
 */
export function databaseSpans(children: ChildSpans, kind: string): CallSpans {
  const system = kind === 'postgres' ? 'postgresql' : kind
  const spans: CallSpans = {
    begin(name, [first]) {
      // No summary is built for work outside of a request.
      if (children.current === undefined) return undefined
      const texts = textsOf(first)
      return children.begin(summaryOf(texts) || name, {
        kind: SpanKind.CLIENT,
        attributes: { 'db.system.name': system, ...describe(texts) },
        errorType: databaseErrorType,
      })
    },
    ofResult: () => spans,
  }
  return spans
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

/** A summary such as `SELECT uploads`; for several statements, the distinct summaries in order. */
function summaryOf(texts: readonly string[]): string {
  return [...new Set(texts.map(summaryOfOne))].join(', ')
}

function summaryOfOne(sql: string): string {
  const verb = /\w+/.exec(sql)?.[0].toUpperCase() ?? ''
  const table = /\b(?:from|into|update)\s+(\w+)/i.exec(sql)?.[1]
  return table === undefined ? verb : `${verb} ${table}`
}

/** UnmetChange is an ordinary outcome: another writer was first. */
function databaseErrorType(error: unknown): string | undefined {
  return error instanceof UnmetChange ? undefined : nameOfError(error)
}
