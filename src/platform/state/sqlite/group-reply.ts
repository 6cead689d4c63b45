import { commitTogether, openWriter, type WriterConnection } from './group-commit.ts'
import { isBusy, toDatabaseError } from './sqlite-errors.ts'
import type {
  GroupRequest,
  SqliteFailure,
  ThreadReply,
  TransferredOutcome,
} from './sqlite-writer.ts'

/** The outcomes of a group, in a form that can be sent between threads. @throws as `commitTogether` */
export function commitGroup(writer: WriterConnection, path: string, request: GroupRequest) {
  const outcomes = commitTogether(writer, request.calls, request.isRelaxed).map(
    (outcome): TransferredOutcome =>
      outcome.kind === 'failed'
        ? { kind: 'failed', failure: failureOf(outcome.error, path) }
        : outcome,
  )
  return { kind: 'outcomes', outcomes } as const satisfies ThreadReply
}

export function failureOf(error: unknown, path: string): SqliteFailure {
  return {
    message: toDatabaseError(error, path).message,
    // Structured clone keeps an error's name, message and stack.
    cause: error,
  }
}

/** How long this thread may wait while another process writes. */
const ownWaitMs = 20

/** Commits in the calling thread, as long as nobody waits for it. */
export class OwnCommits {
  readonly #path: string
  #writer: WriterConnection | undefined

  constructor(path: string) {
    this.#path = path
  }

  /** Undefined if another process writes. Nothing was then committed. */
  commit(request: GroupRequest): ThreadReply | undefined {
    try {
      this.#writer ??= openWriter(this.#path, ownWaitMs)
      return commitGroup(this.#writer, this.#path, request)
    } catch (error) {
      if (isBusy(error)) return undefined
      return { kind: 'failed', failure: failureOf(error, this.#path) }
    }
  }

  close(): void {
    this.#writer?.connection.close()
    this.#writer = undefined
  }
}
