/** Details of a refusal. */
interface ApiErrorOptions extends ErrorOptions {
  /** The JSON path of the mistake in the request: `connections[2].name`. */
  readonly field?: string | undefined
  /** A code for programs, if the protocol has one. */
  readonly code?: string | undefined
  /** Header fields that the status requires, such as Retry-After. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** A refusal of a JSON protocol. The message is shown to the client; the cause never is. */
export class ApiError extends Error {
  readonly status: number
  readonly field: string | undefined
  readonly code: string | undefined
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, message: string, options: ApiErrorOptions = {}) {
    super(message, options)
    this.name = 'ApiError'
    this.status = status
    this.field = options.field
    this.code = options.code
    this.headers = options.headers ?? {}
  }
}
