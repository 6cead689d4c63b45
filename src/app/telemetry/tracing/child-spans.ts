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

export interface ChildOptions {
  readonly kind?: SpanKind
  readonly attributes?: Attributes
  /** Default: the span that this code runs in. */
  readonly parent?: Context | undefined
  /** The value of error.type; undefined for a rejection that is an ordinary outcome. */
  readonly errorType?: (error: unknown) => string | undefined
}

/**
 * Spans below the span of a request. Work outside of a request has none, nor has work that goes on in
 * the background after the request's reply, nor a request that is not sampled.
 */
export class ChildSpans {
  readonly #tracer: Tracer
  readonly #current = new AsyncLocalStorage<Context>()

  constructor(tracer: Tracer) {
    this.#tracer = tracer
  }

  /** The context of the span that this code runs in. */
  get current(): Context | undefined {
    return this.#current.getStore()
  }

  /** Runs work in a context. */
  within<Result>(context: Context, work: () => Result): Result {
    return this.#current.run(context, work)
  }

  /**
   * Runs work in a child span and returns its result. The span ends with the work, with the promise that it returns,
   * or with the reading of what it returns piece by piece.
   */
  run<Result>(name: string, options: ChildOptions, work: () => Result): Result {
    const child = this.#start(name, options)
    if (child === undefined) return work()
    try {
      const result = this.#current.run(child.context, work)
      if (result instanceof Promise) {
        result.then(
          () => child.span.end(),
          (error: unknown) => child.fail(error),
        )
      } else if (isAsyncIterable(result)) {
        return readWithin(child, result) as Result
      } else child.span.end()
      return result
    } catch (error) {
      child.fail(error)
      throw error
    }
  }

  /** Undefined if there is no parent that records. */
  #start(name: string, options: ChildOptions): StartedSpan | undefined {
    const { kind = SpanKind.INTERNAL, attributes = {}, errorType = typeOf } = options
    const parent = options.parent ?? this.current
    if (parent === undefined || trace.getSpan(parent)?.isRecording() !== true) return undefined
    const span = this.#tracer.startSpan(name, { kind, attributes }, parent)
    return {
      span,
      context: trace.setSpan(parent, span),
      fail(error) {
        markFailed(span, errorType(error))
        span.end()
      },
    }
  }
}

interface StartedSpan {
  readonly span: Span
  readonly context: Context
  /** Marks it as failed and ends it. */
  fail(error: unknown): void
}

async function* readWithin<Piece>(
  child: StartedSpan,
  pieces: AsyncIterable<Piece>,
): AsyncGenerator<Piece> {
  let failure: { readonly error: unknown } | undefined
  try {
    yield* pieces
  } catch (error) {
    failure = { error }
    throw error
  } finally {
    if (failure === undefined) child.span.end()
    else child.fail(failure.error)
  }
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}

/** Marks the span as failed. The error's message is not recorded: it may quote paths and keys. */
export function markFailed(span: Span, errorType: string | undefined): void {
  if (errorType === undefined) return
  span.setAttribute('error.type', errorType)
  span.setStatus({ code: SpanStatusCode.ERROR })
}

function typeOf(error: unknown): string {
  return error instanceof Error ? error.name : 'Error'
}

/** Characters of an attribute: a key has 1,024 bytes, a path of a client up to 64 KiB. */
export const maxAttributeLength = 1_024

/** A copy, because a part of a text keeps the whole text in memory as long as its span waits. */
export function boundedText(text: string): string {
  return Buffer.from(text.slice(0, maxAttributeLength)).toString()
}
