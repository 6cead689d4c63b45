import type { HttpRequest } from '../../platform/http/message.ts'
import type { CallTarget } from '../list/resolve-model.ts'
import type { LoggedCall } from '../usage/call-log.ts'
import type { Caller } from './call-access.ts'
import type { CallPath } from './call-paths.ts'
import { bytesPerToken, costOf, estimatedTokensOf } from './costs.ts'
import type { Scope } from './failures/failure-rows.ts'
import type { Failure } from './failures/failures.ts'
import type { Tokens } from './reported-usage.ts'

/** An attempt that has ended. */
export interface CallEntry {
  /** The id of the model key; empty: MODELS_API_KEY. */
  readonly keyId: string
  readonly connectionId: string
  /** The id in the list. */
  readonly model: string
  readonly path: string
  /** What failed; `broken`: the answer was cut off. Undefined: the answer was forwarded. */
  readonly failed: Scope | 'broken' | undefined
  /** Whether another target was tried afterwards. */
  readonly isFallback: boolean
  readonly tokens: Tokens | undefined
  /** Millionths of a US dollar, including estimated tokens. */
  readonly costMicros: number
  /** Estimated in addition to the reported tokens, for the limits of keys. */
  readonly estimatedTokens: number
  readonly receivedBytes: number
  readonly sentBytes: number
  readonly firstByteMs: number
}

/** Records the outcome of an attempt: call one of these, once. */
export interface ObservedCall {
  /** @param tokens what the upstream bills all the same */
  fail(failure: Failure, isFallback: boolean, tokens?: Tokens): void
  end(result: {
    /** Default: 200. */
    readonly status?: number
    readonly tokens: Tokens | undefined
    readonly bytes: number
    /** Those that are text of the model, as far as they can be told from the framing of a stream. */
    readonly contentBytes: number
    readonly isBroken: boolean
    /** Whether the whole answer was forwarded. Before its end, an upstream may have reported only some tokens. */
    readonly isWhole: boolean
  }): void
}

interface Begun {
  readonly target: CallTarget
  /** Bytes of the request. */
  readonly bytes: number
  readonly firstByteMs: number
}

interface NoteParts {
  readonly request: Pick<HttpRequest, 'id' | 'receivedAtMs'>
  readonly path: CallPath
  readonly caller: Caller
}

/** Who learns of attempts and calls. */
export interface Sinks {
  readonly attempts: readonly ((entry: CallEntry) => void)[]
  readonly calls: readonly ((call: LoggedCall) => void)[]
}

/** The status in logs of a request whose client has left, as nginx writes it. */
export const clientLeft = 499
const leftReason = 'The client disconnected before the end of the answer.'
const brokenReason = 'The answer of the upstream broke off.'

/** Records what becomes of one call, and nothing of its content. */
export class CallNote {
  readonly #parts: NoteParts
  readonly #sinks: Sinks
  readonly #attempts: LoggedCall['attempts'] = []
  readonly #startedAtMs = performance.now()
  #isEnded = false
  /** As the client wrote it. */
  model = ''

  constructor(parts: NoteParts, sinks: Sinks) {
    this.#parts = parts
    this.#sinks = sinks
  }

  /** An attempt that has failed, or whose answer has begun. */
  begin({ target, bytes, firstByteMs }: Begun): ObservedCall {
    const { caller, path } = this.#parts
    const { connection, listedId: model } = target
    const common = {
      ...{ keyId: caller.keyId, connectionId: connection.id, model },
      ...{ path: path.path, receivedBytes: bytes, firstByteMs },
    }
    const log = (status: number, reason: string | null) => {
      const ms = Math.round(firstByteMs)
      this.#attempts.push({ connectionId: connection.id, model, status, reason, ms })
    }
    return {
      fail: ({ row, reason, status }, isFallback, tokens) => {
        log(status, reason)
        const costMicros = tokens?.costMicros ?? costAt(target, tokens)
        this.#noteAttempt({
          ...{ ...common, failed: row.scope, isFallback, tokens },
          ...{ estimatedTokens: 0, sentBytes: 0, costMicros },
        })
        if (tokens !== undefined)
          caller.use({ tokens: tokens.input + tokens.output, micros: costMicros })
      },
      end: ({ status = 200, tokens, bytes: sentBytes, contentBytes, isBroken, isWhole }) => {
        const use = usedBy(target, path, { tokens, isWhole, bytes, contentBytes })
        const failed = isBroken ? 'broken' : undefined
        this.#noteAttempt({ ...common, failed, isFallback: false, tokens, sentBytes, ...use })
        const reported = tokens === undefined ? 0 : tokens.input + tokens.output
        caller.use({ tokens: reported + use.estimatedTokens, micros: use.costMicros })
        log(status, isBroken && status !== clientLeft ? brokenReason : null)
        const reason = isBroken && status !== clientLeft ? brokenReason : leftReason
        this.end({ status, reason: isWhole ? null : reason, tokens, ...use })
      },
    }
  }

  /** Logs the call, unless it is logged already. */
  end(ended: {
    readonly status: number
    readonly reason: string | null
    readonly tokens?: Tokens | undefined
    readonly costMicros?: number
  }): void {
    if (this.#isEnded) return
    this.#isEnded = true
    const { request, path, caller } = this.#parts
    const { status, reason, tokens, costMicros = 0 } = ended
    const call = {
      ...{ id: request.id, at: new Date(request.receivedAtMs).toISOString() },
      ...{ keyId: caller.keyId, path: path.path, model: this.model },
      ...{ status, reason, attempts: this.#attempts },
      durationMs: Math.round(performance.now() - this.#startedAtMs),
      ...{ inputTokens: tokens?.input ?? 0, outputTokens: tokens?.output ?? 0 },
      dollars: costMicros / 1e6,
    }
    for (const sink of this.#sinks.calls) sink(call)
  }

  #noteAttempt(entry: CallEntry): void {
    for (const sink of this.#sinks.attempts) sink(entry)
  }
}

/** What an answer used, also where the upstream does not say. */
function usedBy(
  target: CallTarget,
  path: CallPath,
  given: {
    readonly tokens: Tokens | undefined
    readonly isWhole: boolean
    readonly bytes: number
    readonly contentBytes: number
  },
): Pick<CallEntry, 'estimatedTokens' | 'costMicros'> {
  const { tokens, isWhole, bytes, contentBytes } = given
  const reported = tokens === undefined ? 0 : tokens.input + tokens.output
  const isKnown = tokens !== undefined && isWhole
  const estimated = isKnown ? 0 : estimatedTokensOf(path, bytes + contentBytes)
  return {
    estimatedTokens: Math.max(0, estimated - reported),
    costMicros: Math.max(
      path.isFree === true ? 0 : (tokens?.costMicros ?? costAt(target, tokens)),
      estimated === 0 ? 0 : costAt(target, guessOf(bytes, contentBytes)),
    ),
  }
}

function costAt({ price }: CallTarget, tokens: Tokens | undefined): number {
  return price === undefined || tokens === undefined ? 0 : costOf(price, tokens)
}

function guessOf(receivedBytes: number, contentBytes: number): Tokens {
  return {
    input: Math.ceil(receivedBytes / bytesPerToken),
    output: Math.ceil(contentBytes / bytesPerToken),
  }
}
