import type { z } from 'zod'
import { parsedJson } from '../../../../platform/text/json-text.ts'
import type { LimiterName } from '../../kit/cloud/connections.ts'
import {
  type RetriedCall,
  RetryPolicy,
  type RetryPolicyOptions,
  TransientError,
} from '../../kit/cloud/retry-policy.ts'
import type { AccessTokens } from './access-tokens.ts'
import { errorOfFailure, type FailureContext, readFailure } from './google-failure.ts'
import { type GoogleHttp, type GoogleRequest, type HttpAnswer, isStream } from './google-http.ts'
import type { Cost, RateBudget } from './rate-budget.ts'

/** One call of Google's API, which may be sent several times. */
export interface Call extends Omit<GoogleRequest, 'limiter'>, RetriedCall, FailureContext {
  readonly cost: Cost
  /** Default: `calls`. */
  readonly limiter?: LimiterName
  /** Statuses other than 2xx that are answers and not failures. */
  readonly expected?: readonly number[]
  /** Whether the access token is sent. Default: true. */
  readonly isAuthorized?: boolean
}

interface GoogleCallsOptions {
  readonly http: GoogleHttp
  readonly tokens: AccessTokens
  readonly budget: RateBudget
  readonly retryPolicy: RetryPolicyOptions
}

/** A page of 1,000 files with all their properties is a few MiB. */
const maxJsonBytes = 32 * 1024 * 1024

/** Sends calls with an access token and within the quota, and repeats them after transient errors. */
export class GoogleCalls {
  readonly #options: GoogleCallsOptions

  constructor(options: GoogleCallsOptions) {
    this.#options = options
  }

  /** The retry policy of one call, or of several that belong together. */
  retryPolicy(call: RetriedCall): RetryPolicy {
    return new RetryPolicy(this.#options.retryPolicy, call)
  }

  /**
   * Repeats the call until `read` succeeds with a response. Only for idempotent calls.
   *
   * @throws DriveError, including the types in google-failure.ts; the signal's reason.
   */
  run<Result>(call: Call, read: (answer: HttpAnswer) => Promise<Result>): Promise<Result> {
    const retryPolicy = this.retryPolicy(call)
    return retryPolicy.persist(async () => read(await this.once(call, retryPolicy)))
  }

  /** Repeats the call until the response matches the schema. */
  json<Result>(call: Call, schema: z.ZodType<Result>): Promise<Result> {
    return this.run(call, (answer) => readJson(answer, schema))
  }

  /**
   * One attempt.
   *
   * @throws TransientError if another attempt may succeed; DriveError; the signal's reason.
   */
  async once(call: Call, { deadlineMs }: Pick<RetryPolicy, 'deadlineMs'>): Promise<HttpAnswer> {
    const { budget, retryPolicy } = this.#options
    await budget.take(call.cost, { ...call, deadlineMs })
    const answer = await this.#authorized(call)
    const { status } = answer
    if ((status >= 200 && status < 300) || call.expected?.includes(status)) return answer
    throw errorOfFailure(await readFailure(answer, retryPolicy.clock.now()), call)
  }

  /** Google returns 401 for a token that was revoked or expired early: retries once with another. */
  async #authorized(call: Call): Promise<HttpAnswer> {
    if (call.isAuthorized === false) return await this.#send(call)
    const { tokens } = this.#options
    const token = await tokens.get(call.signal)
    const answer = await this.#send(call, token)
    if (answer.status !== 401) return answer
    await answer.drain()
    tokens.forget(token)
    const fresh = await tokens.get(call.signal)
    // A stream can't be sent again. Its sender queries how much of it has arrived.
    if (isStream(call.body)) throw new TransientError('server', '401')
    const second = await this.#send(call, fresh)
    if (second.status !== 401) return second
    await second.drain()
    throw tokens.refused()
  }

  #send(call: Call, token?: string): Promise<HttpAnswer> {
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` }
    const headers = { ...call.headers, ...authorization }
    return this.#options.http.send({ limiter: 'calls', ...call, headers })
  }
}

/** @throws TransientError if the response does not match the schema. */
export async function readJson<Result>(
  answer: HttpAnswer,
  schema: z.ZodType<Result>,
): Promise<Result> {
  const parsed = schema.safeParse(parsedJson(await answer.text(maxJsonBytes)))
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const where = issue?.path.join('.') || 'the whole response'
  throw new TransientError('server', `an unexpected response (${where}: ${issue?.code})`)
}
