import type { IncomingHttpHeaders } from 'node:http'

/** Details of a refusal. */
interface ApiErrorOptions extends ErrorOptions {
  /** The JSON path of the invalid value in the request: `connections[2].name`. */
  readonly field?: string | undefined
  /** An error code for programs. */
  readonly code?: string | undefined
  /** Header fields for the status, such as Retry-After. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** An error reply of a JSON protocol. The message is shown to the client, the cause is not. */
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

const identifier = /^[A-Za-z_$][\w$]*$/

/** The path of a value in JSON: `connections[2].providerSpecificData["my key"]`. */
export function jsonPath(path: readonly PropertyKey[]): string {
  let text = ''
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`
    else if (!identifier.test(String(step))) text += `[${JSON.stringify(String(step))}]`
    else text += text === '' ? String(step) : `.${String(step)}`
  }
  return text
}

/** How a JSON protocol writes an error, and the header fields of its replies. */
export interface ErrorFormat {
  /** The path that it applies to, including everything below it: `/v1`. */
  readonly prefix: string
  /** Applies only to requests with this header field. */
  readonly withHeader?: string
  /** Header fields of every reply, errors included. */
  readonly headers?: Readonly<Record<string, string>>
  /** The body of an error reply, before serialization. */
  readonly errorBody: (error: ApiError) => object
}

/** The format of the login and the management API: docs/contract/login.md, "Login errors". */
export const plainErrorFormat: ErrorFormat = {
  prefix: '',
  errorBody: ({ message, field }) => (field === undefined ? { message } : { message, field }),
}

/** The error format for a request target, with or without a query. */
export function errorFormatOf(
  errorFormats: readonly ErrorFormat[],
  target: string,
  headers: IncomingHttpHeaders = {},
): ErrorFormat {
  const found = errorFormats.find(({ prefix, withHeader }) => {
    return (
      isBelow(target, prefix) && (withHeader === undefined || headers[withHeader] !== undefined)
    )
  })
  return found ?? plainErrorFormat
}

function isBelow(target: string, prefix: string): boolean {
  if (!target.startsWith(prefix)) return false
  const next = target[prefix.length]
  return next === undefined || next === '/' || next === '?'
}
