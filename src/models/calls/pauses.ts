import { backOffMs } from '../../platform/process/back-off.ts'
import type { CallTarget } from '../list/resolve-model.ts'
import type { ActiveConnection } from '../list/stored-rows.ts'
import { consequences, type Failure, type Scope } from './failures.ts'

/** A connection, one of its models, or a model on one path, which is not called for a while. */
export interface Pause {
  readonly connectionId: string
  /** The provider's id of the model. Absent: the whole connection is paused. */
  readonly model: string | undefined
  /** The path of calls, below `/v1`. Absent: all paths are paused. */
  readonly path: string | undefined
  readonly scope: Scope
  readonly reason: string
  readonly status: number
  /** By the clock of `now`. */
  readonly untilMs: number
}

interface KnownPause extends Pause {
  /** Key and address at the time of the failure: if either changes, the connection is tried at once. */
  readonly apiKey: string | undefined
  readonly baseUrl: string | undefined
  /** In a row. */
  readonly failures: number
}

/** An upstream that asks for no wait is not called again at once. */
const minAskedMs = 1_000

/** More pauses are forgotten, the oldest first. */
const maxKnown = 10_000

interface PausesOptions {
  /** Monotonic, milliseconds: setting the clock must not make a pause longer. */
  readonly now: () => number
  /** From 0 to 1. */
  readonly random: () => number
  /** Called when a whole connection is paused. */
  readonly onConnection?: (pause: Pause) => void
}

/** The connections, models and paths that this process pauses after failures. */
export class Pauses {
  readonly #options: PausesOptions
  readonly #known = new Map<string, KnownPause>()

  constructor(options: PausesOptions) {
    this.#options = options
  }

  /** Records a failure of a target and begins the pause that follows from it. */
  note(target: CallTarget, path: string, failure: Failure): void {
    const { pauses, backOff, maxAskedMs } = consequences[failure.scope]
    if (pauses === 'nothing') return
    const [whole, pair, ofPath] = keysOf(target, path)
    const key = { connection: whole, pair, path: ofPath }[pauses]
    const nowMs = this.#options.now()
    const before = this.#current(key, target)
    // Calls that were in progress when the pause began fail for the same reason and do not extend it.
    const pausedUntilMs = before !== undefined && before.untilMs > nowMs ? before.untilMs : 0
    const failures = (before?.failures ?? 0) + (pausedUntilMs > 0 ? 0 : 1)
    const { waitMs, scope, reason, status } = failure
    const asked =
      waitMs === undefined || maxAskedMs === 0
        ? undefined
        : Math.min(maxAskedMs, Math.max(minAskedMs, waitMs))
    const pauseMs = asked ?? backOffMs(Math.min(failures, 30), backOff, this.#options.random)
    // Moves the key to the end of the map: the oldest entries come first.
    this.#known.delete(key)
    const { connection, ownId } = target
    const pause = {
      ...{ connectionId: connection.id, scope, reason, status },
      model: pauses === 'connection' ? undefined : ownId,
      path: pauses === 'path' ? path : undefined,
      untilMs: Math.max(pausedUntilMs, nowMs + pauseMs),
    }
    const { apiKey, baseUrl } = connection
    this.#known.set(key, { ...pause, failures, apiKey, baseUrl })
    if (pauses === 'connection' && before === undefined) this.#options.onConnection?.(pause)
    const [oldest] = this.#known.keys()
    if (this.#known.size > maxKnown && oldest !== undefined) this.#known.delete(oldest)
  }

  /** The longest pause that applies to a target; undefined if it may be called. */
  pauseOf(target: CallTarget, path: string): Pause | undefined {
    if (this.#known.size === 0) return undefined
    const nowMs = this.#options.now()
    return keysOf(target, path)
      .map((key) => this.#current(key, target))
      .filter((pause) => pause !== undefined && pause.untilMs > nowMs)
      .toSorted((a, b) => (b?.untilMs ?? 0) - (a?.untilMs ?? 0))[0]
  }

  /** Milliseconds until a target may be called. */
  waitMs(target: CallTarget, path: string): number {
    const { untilMs = 0 } = this.pauseOf(target, path) ?? {}
    return Math.max(0, untilMs - this.#options.now())
  }

  /** Ends the pauses of a target that has answered. */
  clear(target: CallTarget, path: string): void {
    if (this.#known.size === 0) return
    for (const key of keysOf(target, path)) this.#known.delete(key)
  }

  /** Ends all pauses of a connection and its models. */
  end(connectionId: string): void {
    for (const [key, pause] of this.#known) {
      if (pause.connectionId === connectionId) this.#known.delete(key)
    }
  }

  /**
   * Current pauses, and refused keys until they are accepted: a person has to replace those.
   *
   * @param connections the current ones
   */
  list(
    connections: readonly Pick<ActiveConnection, 'id' | 'apiKey' | 'baseUrl'>[],
  ): readonly Pause[] {
    const nowMs = this.#options.now()
    const byId = new Map(connections.map((connection) => [connection.id, connection]))
    return [...this.#known.values()]
      .filter((pause) => pause.untilMs > nowMs || isRefusedKey(pause))
      .filter((pause) => {
        const now = byId.get(pause.connectionId)
        return now !== undefined && now.apiKey === pause.apiKey && now.baseUrl === pause.baseUrl
      })
      .map(({ apiKey: _, baseUrl: __, failures: ___, ...pause }) => pause)
  }

  #current(key: string, { connection }: CallTarget): KnownPause | undefined {
    const known = this.#known.get(key)
    const isSame = known?.apiKey === connection.apiKey && known?.baseUrl === connection.baseUrl
    return isSame ? known : undefined
  }
}

function isRefusedKey({ scope, status }: Pause): boolean {
  return scope === 'connection' && (status === 401 || status === 402 || status === 403)
}

/** The keys of the connection, of its model, and of its model on one path. */
function keysOf(
  { connection: { id }, ownId }: CallTarget,
  path: string,
): [whole: string, pair: string, ofPath: string] {
  return [JSON.stringify([id]), JSON.stringify([id, ownId]), JSON.stringify([id, ownId, path])]
}
