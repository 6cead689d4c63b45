import { backOffMs } from '../../process/back-off.ts'
import type { CallTarget } from '../list/resolve-model.ts'
import { consequences, type Failure, type Scope } from './failures.ts'

/** Something that is not called for a while. */
export interface Rest {
  readonly connectionId: string
  /** The provider's id of the model. Absent: all of the connection rests. */
  readonly model: string | undefined
  readonly scope: Scope
  readonly reason: string
  readonly status: number
  /** By `now`. */
  readonly untilMs: number
}

interface KnownRest extends Rest {
  /** What the connection had then: another key or address is tried at once. */
  readonly apiKey: string | undefined
  readonly baseUrl: string | undefined
  /** In a row. */
  readonly failures: number
}

/** An upstream that asks for no wait is not asked again at once. */
const leastAskedMs = 1_000

/** More are forgotten, the oldest first. */
const maxKnown = 10_000

interface RestOptions {
  /** Milliseconds. */
  readonly now: () => number
  /** From 0 to 1. */
  readonly random: () => number
  /** Called when all of a connection begins to rest. */
  readonly onConnection?: (rest: Rest) => void
}

/** Which connections, and which of their models, rest after failures. Of one process. */
export class Rests {
  readonly #options: RestOptions
  readonly #known = new Map<string, KnownRest>()

  constructor(options: RestOptions) {
    this.#options = options
  }

  /** Notes a failure of a target, with what follows from it. */
  note(target: CallTarget, failure: Failure): void {
    const { rests, pause, longestAskedMs } = consequences[failure.scope]
    if (rests === 'nothing') return
    const { connection, ownId } = target
    const model = rests === 'pair' ? ownId : undefined
    const key = keyOf(connection.id, model)
    const failures = (this.#current(key, target)?.failures ?? 0) + 1
    const { waitMs } = failure
    const asked =
      waitMs === undefined || longestAskedMs === 0
        ? undefined
        : Math.min(longestAskedMs, Math.max(leastAskedMs, waitMs))
    const restMs = asked ?? backOffMs(Math.min(failures, 30), pause, this.#options.random)
    const { scope, reason, status } = failure
    // To the end of the map: the oldest are in front.
    this.#known.delete(key)
    const untilMs = this.#options.now() + restMs
    const rest = { connectionId: connection.id, model, scope, reason, status, untilMs }
    const { apiKey, baseUrl } = connection
    this.#known.set(key, { ...rest, failures, apiKey, baseUrl })
    if (model === undefined && failures === 1) this.#options.onConnection?.(rest)
    const [oldest] = this.#known.keys()
    if (this.#known.size > maxKnown && oldest !== undefined) this.#known.delete(oldest)
  }

  /** Why a target is not to be called now; undefined: it may be. */
  restOf(target: CallTarget): Rest | undefined {
    const nowMs = this.#options.now()
    const { connection, ownId } = target
    return [undefined, ownId]
      .map((model) => this.#current(keyOf(connection.id, model), target))
      .filter((rest) => rest !== undefined && rest.untilMs > nowMs)
      .toSorted((a, b) => (b?.untilMs ?? 0) - (a?.untilMs ?? 0))[0]
  }

  /** A target has answered. */
  clear({ connection, ownId }: CallTarget): void {
    if (this.#known.size === 0) return
    this.#known.delete(keyOf(connection.id, undefined))
    this.#known.delete(keyOf(connection.id, ownId))
  }

  /** What rests now. */
  list(): readonly Rest[] {
    const nowMs = this.#options.now()
    return [...this.#known.values()]
      .filter(({ untilMs }) => untilMs > nowMs)
      .map(({ apiKey: _, baseUrl: __, failures: ___, ...rest }) => rest)
  }

  #current(key: string, { connection }: CallTarget): KnownRest | undefined {
    const known = this.#known.get(key)
    const isSame = known?.apiKey === connection.apiKey && known?.baseUrl === connection.baseUrl
    return isSame ? known : undefined
  }
}

function keyOf(connectionId: string, model: string | undefined): string {
  return JSON.stringify(model === undefined ? [connectionId] : [connectionId, model])
}
