/** What the service refused, or 0 where it was not reached. */
export class ApiError extends Error {
  readonly status: number
  /** The JSON path of the field that is wrong. */
  readonly field: string | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(message: string, facts: ApiErrorFacts, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ApiError'
    this.status = facts.status
    this.field = facts.field
    this.retryAfterSeconds = facts.retryAfterSeconds
  }
}

export interface ApiErrorFacts {
  readonly status: number
  readonly field?: string | undefined
  readonly retryAfterSeconds?: number | undefined
}

/** A reply as far as an error needs it. */
export interface RefusedReply {
  readonly status: number
  readonly headers: { get(name: string): string | null }
}

/** @param body what came as JSON; undefined: something else, such as the page of a proxy. */
export function toApiError(reply: RefusedReply, body: unknown): ApiError {
  const { message, field } = fieldsOf(body)
  return new ApiError(message ?? `The service returned status ${reply.status}.`, {
    status: reply.status,
    field,
    retryAfterSeconds: seconds(reply.headers.get('retry-after')),
  })
}

/** A request that had no answer. */
export function unreachable(cause: unknown): ApiError {
  return new ApiError(
    'The service does not respond. Check that it is running and that you are connected.',
    { status: 0 },
    { cause },
  )
}

function fieldsOf(body: unknown): { message?: string; field?: string } {
  if (typeof body !== 'object' || body === null) return {}
  const { message, field } = body as Record<string, unknown>
  return {
    ...(typeof message === 'string' && message !== '' && { message }),
    ...(typeof field === 'string' && { field }),
  }
}

/** RFC 9110 section 10.2.3; ours is always in seconds. */
function seconds(retryAfter: string | null): number | undefined {
  return retryAfter !== null && /^\d+$/.test(retryAfter) ? Number(retryAfter) : undefined
}
