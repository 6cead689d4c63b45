import type { Context } from '@opentelemetry/api'
import { DriveError, type DriveErrorKind } from '../../drives/drive.ts'
import type { ChildOptions, ChildSpans, StartedSpan } from './child-spans.ts'

/** These are outcomes that clients ask for. */
const ordinary: ReadonlySet<DriveErrorKind> = new Set(['condition', 'not-found', 'changed'])

/** The spans of a drive: `drive.NAME` with the kind of the drive. */
export class DriveSpans {
  readonly #children: ChildSpans
  readonly #attributes: ChildOptions['attributes']

  constructor(children: ChildSpans, kind: string) {
    this.#children = children
    this.#attributes = { 'bucketry.drive': kind }
  }

  /** The context of the span that this code runs in. */
  get parent(): Context | undefined {
    return this.#children.current
  }

  run<Result>(name: string, work: () => Promise<Result>, parent = this.parent): Promise<Result> {
    return this.#children.run(`drive.${name}`, this.#options(parent), work)
  }

  /** As `run`, for work that may be done without a promise. */
  runNow<Result>(name: string, work: () => Result): Result {
    const child = this.start(name, this.parent)
    if (child === undefined) return work()
    try {
      const result = this.#children.within(child.context, work)
      if (result instanceof Promise) void endWith(child, result)
      else child.span.end()
      return result
    } catch (error) {
      child.fail(error)
      child.span.end()
      throw error
    }
  }

  start(name: string, parent: Context | undefined): StartedSpan | undefined {
    return this.#children.start(`drive.${name}`, this.#options(parent))
  }

  #options(parent: Context | undefined): ChildOptions {
    return { attributes: this.#attributes ?? {}, parent, errorType }
  }
}

async function endWith({ span, fail }: StartedSpan, result: Promise<unknown>): Promise<void> {
  try {
    await result
  } catch (error) {
    fail(error)
  } finally {
    span.end()
  }
}

function errorType(error: unknown): string | undefined {
  if (error instanceof DriveError) return ordinary.has(error.kind) ? undefined : error.kind
  return error instanceof Error ? error.name : 'Error'
}
