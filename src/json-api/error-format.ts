import type { ApiError } from './api-error.ts'

/** The error format of one protocol, and the header fields of its replies. */
export interface ErrorFormat {
  /** The path below which it speaks: `/v1`. */
  readonly prefix: string
  /** Header fields of every reply, errors included. */
  readonly headers?: Readonly<Record<string, string>>
  /** The body of an error reply, before it becomes JSON. */
  readonly errorBody: (error: ApiError) => object
}

/** That of the login and the management API: docs/contract/login.md, "Login errors". */
export const plainErrorFormat: ErrorFormat = {
  prefix: '',
  errorBody: ({ message, field }) => (field === undefined ? { message } : { message, field }),
}

/** The errorFormat of a request target, query or not. */
export function errorFormatOf(errorFormats: readonly ErrorFormat[], target: string): ErrorFormat {
  return errorFormats.find(({ prefix }) => isBelow(target, prefix)) ?? plainErrorFormat
}

function isBelow(target: string, prefix: string): boolean {
  if (!target.startsWith(prefix)) return false
  const next = target[prefix.length]
  return next === undefined || next === '/' || next === '?'
}
