import type { ApiError } from './api-error.ts'

/** How a JSON protocol writes an error, and the header fields of its replies. */
export interface ErrorFormat {
  /** The path that it applies to, with everything below it: `/v1`. */
  readonly prefix: string
  /** Header fields of every reply, errors included. */
  readonly headers?: Readonly<Record<string, string>>
  /** The body of an error reply, before serialization. */
  readonly errorBody: (error: ApiError) => object
}

/** For the login and the management API: docs/contract/login.md, "Login errors". */
export const plainErrorFormat: ErrorFormat = {
  prefix: '',
  errorBody: ({ message, field }) => (field === undefined ? { message } : { message, field }),
}

/** The error format for a request target, with or without a query. */
export function errorFormatOf(errorFormats: readonly ErrorFormat[], target: string): ErrorFormat {
  return errorFormats.find(({ prefix }) => isBelow(target, prefix)) ?? plainErrorFormat
}

function isBelow(target: string, prefix: string): boolean {
  if (!target.startsWith(prefix)) return false
  const next = target[prefix.length]
  return next === undefined || next === '/' || next === '?'
}
