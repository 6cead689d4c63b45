import type { CallTarget } from '../list/resolve-model.ts'
import type { Caller } from './call-access.ts'
import type { CallPath } from './call-paths.ts'
import { costOf } from './costs.ts'
import type { Scope } from './failures/failure-rows.ts'
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
  fail(scope: Scope, isFallback: boolean): void
  end(result: {
    readonly tokens: Tokens | undefined
    readonly bytes: number
    /** Those that are text of the model, as far as they can be told from the framing of a stream. */
    readonly contentBytes: number
    readonly isBroken: boolean
    /** Whether the whole answer was forwarded. Before its end, an upstream may have reported only some tokens. */
    readonly isWhole: boolean
  }): void
}

interface BegunCall {
  readonly caller: Caller
  readonly target: CallTarget
  readonly path: CallPath
  /** Bytes of the request. */
  readonly bytes: number
  readonly firstByteMs: number
}

/** A token has about four characters, and most characters have one byte. */
const bytesPerToken = 4

/** Records what calls use, and nothing of their content. */
export class CallRecorder {
  readonly #sinks: readonly ((entry: CallEntry) => void)[]

  constructor(...sinks: readonly ((entry: CallEntry) => void)[]) {
    this.#sinks = sinks
  }

  begin({ caller, target, path, bytes, firstByteMs }: BegunCall): ObservedCall {
    const common = {
      ...{ keyId: caller.keyId, connectionId: target.connection.id, model: target.listedId },
      ...{ path: path.path, receivedBytes: bytes, firstByteMs },
    }
    return {
      fail: (failed, isFallback) =>
        this.#note({
          ...{ ...common, failed, isFallback, tokens: undefined },
          ...{ estimatedTokens: 0, sentBytes: 0, costMicros: 0 },
        }),
      end: ({ tokens, bytes: sentBytes, contentBytes, isBroken, isWhole }) => {
        const failed = isBroken ? 'broken' : undefined
        const reported = tokens === undefined ? 0 : tokens.input + tokens.output
        const isKnown = tokens !== undefined && isWhole
        const estimated = isKnown ? 0 : estimatedTokensOf(path, bytes + contentBytes)
        const estimatedTokens = Math.max(0, estimated - reported)
        const costMicros = Math.max(
          path.isFree === true ? 0 : (tokens?.costMicros ?? costAt(target, tokens)),
          estimated === 0 ? 0 : costAt(target, guessOf(bytes, contentBytes)),
        )
        this.#note({
          ...{ ...common, failed, isFallback: false, tokens },
          ...{ costMicros, estimatedTokens, sentBytes },
        })
        caller.use({ tokens: reported + estimatedTokens, micros: costMicros })
      },
    }
  }

  #note(entry: CallEntry): void {
    for (const sink of this.#sinks) sink(entry)
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

/** An estimate for streams that report no tokens, or are cut off before they do. */
export function estimatedTokensOf({ kinds, isFree }: CallPath, bytes: number): number {
  return kinds.has('llm') && isFree !== true ? Math.ceil(bytes / bytesPerToken) : 0
}
