import type { Context } from '@opentelemetry/api'
import type { Drive } from '../../../storage/drives/drive.ts'
import { DriveError, type DriveErrorKind } from '../../../storage/drives/drive-error.ts'
import { tracedCalls } from '../drive-calls.ts'
import { type Observer, observed } from '../observed.ts'
import type { ChildOptions, ChildSpans } from './child-spans.ts'

/** These are outcomes that clients ask for. */
const ordinary: ReadonlySet<DriveErrorKind> = new Set(['condition', 'not-found', 'changed'])

/** The drive with a span for each call within a request. @param name of the drive, if there are several */
export function tracedDrive(drive: Drive, children: ChildSpans, name?: string): Drive {
  return observed(drive, tracedCalls, new DriveSpans(children, name || drive.kind))
}

/** The spans of a drive: `drive.NAME` with the name of the drive. */
class DriveSpans implements Observer {
  readonly #children: ChildSpans
  readonly #drive: string
  readonly #parent: Context | undefined

  constructor(children: ChildSpans, drive: string, parent?: Context) {
    this.#children = children
    this.#drive = drive
    this.#parent = parent
  }

  call<Result>(name: string, _given: readonly unknown[], work: () => Result): Result {
    const attributes = { 'bucketry.drive': this.#drive }
    const options: ChildOptions = { attributes, parent: this.#parent, errorType }
    return this.#children.run(`drive.${name}`, options, work)
  }

  /** Calls of an open object or a draft may come after the handler's work, so their parent is kept. */
  ofResult(): Observer | undefined {
    const parent = this.#children.current
    return parent && new DriveSpans(this.#children, this.#drive, parent)
  }
}

function errorType(error: unknown): string | undefined {
  if (error instanceof DriveError) return ordinary.has(error.kind) ? undefined : error.kind
  return error instanceof Error ? error.name : 'Error'
}
