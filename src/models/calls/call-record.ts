import type { CallTarget } from '../list/resolve-model.ts'
import type { Caller } from './call-access.ts'
import type { CallPath } from './call-paths.ts'
import type { Scope } from './failures.ts'
import type { Tokens } from './reported-usage.ts'

/** One attempt, when it is over. */
export interface CallEntry {
  /** Of the model key; empty: MODELS_API_KEY. */
  readonly keyId: string
  readonly connectionId: string
  /** The id in the list. */
  readonly model: string
  readonly path: string
  /** What failed. Absent: the answer was passed on; `broken`: not to its end. */
  readonly failed: Scope | 'broken' | undefined
  /** Whether another target was tried then. */
  readonly isFallback: boolean
  readonly tokens: Tokens | undefined
  /** Beyond those that the upstream reported, for the limits of keys. */
  readonly estimatedTokens: number
  readonly receivedBytes: number
  readonly sentBytes: number
  readonly firstByteMs: number
}

/** An attempt whose outcome is being noted. One of these is called, once. */
export interface ObservedCall {
  fail(scope: Scope, isFallback: boolean): void
  end(result: {
    readonly tokens: Tokens | undefined
    readonly bytes: number
    readonly isBroken: boolean
    /** Whether the answer was passed on to its end. Until then, reported tokens may be those of its beginning. */
    readonly isWhole: boolean
  }): void
}

interface BegunCall {
  readonly caller: Caller
  readonly target: CallTarget
  readonly path: CallPath
  /** Of the request. */
  readonly bytes: number
  readonly firstByteMs: number
}

/** About four characters make a token, and one byte most characters. */
const bytesPerToken = 4

/** Notes what calls use. Nothing of what is in them. */
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
          ...{ estimatedTokens: 0, sentBytes: 0 },
        }),
      end: ({ tokens, bytes: sentBytes, isBroken, isWhole }) => {
        const failed = isBroken ? 'broken' : undefined
        const reported = tokens === undefined ? 0 : tokens.input + tokens.output
        const isKnown = tokens !== undefined && isWhole
        const estimated = isKnown ? 0 : estimatedTokensOf(path, bytes + sentBytes)
        const estimatedTokens = Math.max(0, estimated - reported)
        this.#note({ ...common, failed, isFallback: false, tokens, estimatedTokens, sentBytes })
        caller.use(reported + estimatedTokens)
      },
    }
  }

  #note(entry: CallEntry): void {
    for (const sink of this.#sinks) sink(entry)
  }
}

/** Most streams report no tokens unless asked, or only at their end; a key with a limit must not be free for them. */
export function estimatedTokensOf({ kinds, isFree }: CallPath, bytes: number): number {
  return kinds.has('llm') && isFree !== true ? Math.ceil(bytes / bytesPerToken) : 0
}
