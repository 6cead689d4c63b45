import { backOffMs } from '../../platform/process/back-off.ts'
import type { CallTarget } from '../list/resolve-model.ts'
import type { ActiveConnection } from '../list/stored-rows.ts'
import { consequences, type Failure, type Scope } from './failures.ts'

/** Something that is not called for a while. */
export interface Rest {
  readonly connectionId: string
  /** The provider's id of the model. Absent: all of the connection rests. */
  readonly model: string | undefined
  /** Of the call, below `/v1`. Absent: on every path. */
  readonly path: string | undefined
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
  /** Milliseconds of a clock that is never set: a rest must not become longer because the time was wrong. */
  readonly now: () => number
  /** From 0 to 1. */
  readonly random: () => number
  /** Called when all of a connection begins to rest. */
  readonly onConnection?: (rest: Rest) => void
}

/** Which connections, which of their models, and on which paths, rest after failures. Of one process. */
export class Rests {
  readonly #options: RestOptions
  readonly #known = new Map<string, KnownRest>()

  constructor(options: RestOptions) {
    this.#options = options
  }

  /** Notes a failure of a target, with what follows from it. */
  note(target: CallTarget, path: string, failure: Failure): void {
    const { rests, pause, longestAskedMs } = consequences[failure.scope]
    if (rests === 'nothing') return
    const [whole, pair, ofPath] = keysOf(target, path)
    const key = { connection: whole, pair, path: ofPath }[rests]
    const nowMs = this.#options.now()
    const before = this.#current(key, target)
    // Calls that were under way when it began to rest fail with it, and say nothing new.
    const restingUntilMs = before !== undefined && before.untilMs > nowMs ? before.untilMs : 0
    const failures = (before?.failures ?? 0) + (restingUntilMs > 0 ? 0 : 1)
    const { waitMs, scope, reason, status } = failure
    const asked =
      waitMs === undefined || longestAskedMs === 0
        ? undefined
        : Math.min(longestAskedMs, Math.max(leastAskedMs, waitMs))
    const restMs = asked ?? backOffMs(Math.min(failures, 30), pause, this.#options.random)
    // To the end of the map: the oldest are in front.
    this.#known.delete(key)
    const { connection, ownId } = target
    const rest = {
      ...{ connectionId: connection.id, scope, reason, status },
      model: rests === 'connection' ? undefined : ownId,
      path: rests === 'path' ? path : undefined,
      untilMs: Math.max(restingUntilMs, nowMs + restMs),
    }
    const { apiKey, baseUrl } = connection
    this.#known.set(key, { ...rest, failures, apiKey, baseUrl })
    if (rests === 'connection' && before === undefined) this.#options.onConnection?.(rest)
    const [oldest] = this.#known.keys()
    if (this.#known.size > maxKnown && oldest !== undefined) this.#known.delete(oldest)
  }

  /** Why a target is not to be called now; undefined: it may be. */
  restOf(target: CallTarget, path: string): Rest | undefined {
    if (this.#known.size === 0) return undefined
    const nowMs = this.#options.now()
    return keysOf(target, path)
      .map((key) => this.#current(key, target))
      .filter((rest) => rest !== undefined && rest.untilMs > nowMs)
      .toSorted((a, b) => (b?.untilMs ?? 0) - (a?.untilMs ?? 0))[0]
  }

  /** Milliseconds until a target may be called. */
  waitMs(target: CallTarget, path: string): number {
    const { untilMs = 0 } = this.restOf(target, path) ?? {}
    return Math.max(0, untilMs - this.#options.now())
  }

  /** A target has answered. */
  clear(target: CallTarget, path: string): void {
    if (this.#known.size === 0) return
    for (const key of keysOf(target, path)) this.#known.delete(key)
  }

  /** Lets a connection and its models be called at once. */
  end(connectionId: string): void {
    for (const [key, rest] of this.#known) {
      if (rest.connectionId === connectionId) this.#known.delete(key)
    }
  }

  /**
   * What rests now, and refused keys until they are accepted: a person has to do something about them.
   *
   * @param connections that there are, as they are now
   */
  list(
    connections: readonly Pick<ActiveConnection, 'id' | 'apiKey' | 'baseUrl'>[],
  ): readonly Rest[] {
    const nowMs = this.#options.now()
    const byId = new Map(connections.map((connection) => [connection.id, connection]))
    return [...this.#known.values()]
      .filter((rest) => rest.untilMs > nowMs || isRefusedKey(rest))
      .filter((rest) => {
        const now = byId.get(rest.connectionId)
        return now !== undefined && now.apiKey === rest.apiKey && now.baseUrl === rest.baseUrl
      })
      .map(({ apiKey: _, baseUrl: __, failures: ___, ...rest }) => rest)
  }

  #current(key: string, { connection }: CallTarget): KnownRest | undefined {
    const known = this.#known.get(key)
    const isSame = known?.apiKey === connection.apiKey && known?.baseUrl === connection.baseUrl
    return isSame ? known : undefined
  }
}

function isRefusedKey({ scope, status }: Rest): boolean {
  return scope === 'connection' && (status === 401 || status === 402 || status === 403)
}

/** Of the connection, of its model, and of its model on one path. */
function keysOf(
  { connection: { id }, ownId }: CallTarget,
  path: string,
): [whole: string, pair: string, ofPath: string] {
  return [JSON.stringify([id]), JSON.stringify([id, ownId]), JSON.stringify([id, ownId, path])]
}
