import { backOffMs } from '../../../platform/process/back-off.ts'
import type { CallTarget } from '../../list/resolve-model.ts'
import type { ActiveConnection } from '../../list/stored-rows.ts'
import { type FailureRow, failureRows, type Scope } from './failure-rows.ts'
import type { Failure } from './failures.ts'

/** The sender of a request. */
export interface Sender {
  /** The id of the model key; empty: MODELS_API_KEY. */
  readonly keyId: string
  /** The same text for the requests of one conversation. */
  readonly conversation: () => string
}

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

/** Whose requests a pause is for: a conversation, all requests of a key (no conversation), or all (no key). */
interface Owner {
  readonly keyId?: string
  readonly conversation?: string
}

interface KnownPause extends Pause {
  readonly row: FailureRow
  readonly owner: Owner
  /** The connection at the time of the failure: if its key or address changes, it is tried at once. */
  readonly connection: ActiveConnection
  /** In a row. */
  readonly failures: number
  /** The last failure. */
  readonly atMs: number
}

/** An upstream that asks for no wait is not called again at once. */
const minAskedMs = 1_000
/** More pauses, or successes, are forgotten, the oldest first. */
const maxKnown = 10_000
/** How long a failure says something about the next one, and a success about the next failure. */
const memoryMs = 10 * 60_000
/** The same for failures that take up to an hour themselves (MODELS_ANSWER_SECONDS). */
const lateMemoryMs = 2 * 60 * 60_000

interface PausesOptions {
  /** Monotonic, milliseconds: setting the clock must not make a pause longer. */
  readonly now: () => number
  /** From 0 to 1. */
  readonly random: () => number
  /** Called when a whole connection is paused for all. */
  readonly onConnection?: (pause: Pause) => void
}

/** The rows that pause something. */
const pausing = Object.values(failureRows).filter(({ pauses }) => pauses !== 'nothing')

/**
 * The connections, models and paths that this process pauses after failures. A request can fail by its own fault, so a
 * failure pauses only its conversation. A second conversation that fails in the same way pauses its key, and a second key
 * all callers. Failures that no request can cause pause all callers at once.
 */
export class Pauses {
  readonly #options: PausesOptions
  readonly #known = new Map<string, KnownPause>()
  /** When a connection, or a model of it on a path, last had a success. */
  readonly #successes = new Map<string, number>()

  constructor(options: PausesOptions) {
    this.#options = options
  }

  /** Records a failure of a target and begins the pause that follows from it. */
  note(target: CallTarget, path: string, failure: Failure, sender: Sender): void {
    const { row } = failure
    if (row.pauses === 'nothing') return
    const isCertain = this.#isCertain(target, path, failure)
    this.#begin(target, path, failure, (before) => (isCertain ? {} : widened(before, sender)))
    const other = row.second && this.#ofOtherModel(target, row)
    if (row.second === undefined || other === undefined) return
    // That all callers failed with the other model says nothing about who fails with this one.
    const first = other.owner.keyId === undefined ? undefined : other.owner
    const whole = {
      ...failure,
      row: failureRows[row.second],
      reason: failureRows[row.second].reason,
    }
    this.#begin(target, path, whole, (before) => widened(before ?? first, sender))
  }

  #ofOtherModel({ connection, ownId }: CallTarget, row: FailureRow): KnownPause | undefined {
    const nowMs = this.#options.now()
    const others = [...this.#known.values()].filter(
      (one) =>
        one.row === row &&
        one.model !== ownId &&
        (row.isLastResort ? rememberedUntilMs(one) : one.untilMs) > nowMs,
    )
    return others.find(
      (one) => isSame(connection, one.connection) && one.connectionId === connection.id,
    )
  }

  #begin(
    target: CallTarget,
    path: string,
    failure: Failure,
    ownerOf: (before: Owner | undefined) => Owner,
  ): void {
    const { row, reason, status } = failure
    const key = keyOf(keysOf(target, path), row)
    const nowMs = this.#options.now()
    const before = this.#current(key, target, nowMs)
    // Calls that were in progress when the pause began fail for the same reason and do not extend it.
    const pausedUntilMs = before !== undefined && before.untilMs > nowMs ? before.untilMs : 0
    const failures = (before?.failures ?? 0) + (pausedUntilMs > 0 ? 0 : 1)
    const { connection, ownId } = target
    const pause: KnownPause = {
      ...{ connectionId: connection.id, scope: row.scope, reason, status, row, connection },
      model: row.pauses === 'connection' ? undefined : ownId,
      path: row.pauses === 'path' ? path : undefined,
      untilMs: Math.max(pausedUntilMs, nowMs + this.#lengthOf(failure, failures)),
      owner: ownerOf(before?.owner),
      ...{ failures, atMs: nowMs },
    }
    // Moves the key to the end of the map: the oldest entries come first.
    this.#known.delete(key)
    this.#known.set(key, pause)
    forgetOldest(this.#known)
    const isNew = before?.owner.keyId !== undefined || before === undefined
    const isOfAll = pause.owner.keyId === undefined
    if (isNew && isOfAll && row.pauses === 'connection') this.#options.onConnection?.(pause)
  }

  #lengthOf({ waitMs, row: { maxAskedMs, backOff } }: Failure, failures: number): number {
    return waitMs === undefined || maxAskedMs === 0
      ? backOffMs(Math.min(failures, 30), backOff, this.#options.random)
      : Math.min(maxAskedMs, Math.max(minAskedMs, waitMs))
  }

  #isCertain(target: CallTarget, path: string, { isCertain, row }: Failure): boolean {
    if (isCertain !== 'unused') return isCertain
    const keys = keysOf(target, path)
    const succeededAtMs = this.#successes.get(keys[row.pauses === 'path' ? 'path' : 'connection'])
    return succeededAtMs === undefined || this.#options.now() - succeededAtMs > memoryMs
  }

  /** The longest pause that applies to a target, those first that refuse it; undefined: it may be called. */
  pauseOf(
    target: CallTarget,
    path: string,
    sender: Sender,
  ): (Pause & { readonly row: FailureRow }) | undefined {
    if (this.#known.size === 0) return undefined
    const nowMs = this.#options.now()
    const keys = keysOf(target, path)
    return pausing
      .flatMap((row) => this.#current(keyOf(keys, row), target, nowMs) ?? [])
      .filter(({ untilMs, owner }) => untilMs > nowMs && isOf(owner, sender))
      .toSorted(
        (a, b) => Number(a.row.isLastResort) - Number(b.row.isLastResort) || b.untilMs - a.untilMs,
      )[0]
  }

  /** Milliseconds until a target may be called. */
  waitMs(target: CallTarget, path: string, sender: Sender): number {
    const { untilMs = 0 } = this.pauseOf(target, path, sender) ?? {}
    return Math.max(0, untilMs - this.#options.now())
  }

  /** Ends the pauses of a target that has answered. */
  clear(target: CallTarget, path: string): void {
    const nowMs = this.#options.now()
    const keys = keysOf(target, path)
    this.#successes.set(keys.connection, nowMs)
    this.#successes.set(keys.path, nowMs)
    forgetOldest(this.#successes)
    if (this.#known.size === 0) return
    for (const row of pausing) this.#known.delete(keyOf(keys, row))
  }

  /** A model that was missing is tried again, now that the connection lists it. A failure would double its pause. */
  readonly noteList = (connectionId: string, models: readonly string[]): void => {
    for (const [key, pause] of this.#known) {
      const { row, model = '' } = pause
      if (row.name !== 'model' || pause.connectionId !== connectionId) continue
      if (models.includes(model)) this.#known.set(key, { ...pause, untilMs: 0 })
    }
  }

  /**
   * Notes that a target is called. If the last calls waited for an answer in vain, this one finds out alone whether there
   * are answers again: otherwise each conversation after the pause would wait as long.
   */
  probe(target: CallTarget, path: string): void {
    if (this.#known.size === 0) return
    const nowMs = this.#options.now()
    for (const row of [failureRows.late, failureRows.stalled]) {
      const key = keyOf(keysOf(target, path), row)
      const known = this.#current(key, target, nowMs)
      if (known === undefined || known.untilMs > nowMs) continue
      this.#known.set(key, { ...known, untilMs: nowMs + row.backOff.firstMs })
    }
  }

  /** Ends all pauses of a connection and its models. */
  end(connectionId: string): void {
    for (const [key, pause] of this.#known) {
      if (pause.connectionId === connectionId) this.#known.delete(key)
    }
  }

  /**
   * Current pauses of all callers or of a key, and refused keys until they are accepted: a person has to replace those.
   *
   * @param connections the current ones
   */
  list(connections: readonly ActiveConnection[]): readonly Pause[] {
    const nowMs = this.#options.now()
    const byId = new Map(connections.map((connection) => [connection.id, connection]))
    return [...this.#known.values()]
      .filter(({ untilMs, row }) => untilMs > nowMs || row.name === 'key' || row.name === 'money')
      .filter(({ owner }) => owner.conversation === undefined)
      .filter(({ connectionId, connection }) => isSame(byId.get(connectionId), connection))
      .map(({ connectionId, model, path, scope, reason, status, untilMs }) => {
        return { connectionId, model, path, scope, reason, status, untilMs }
      })
  }

  #current(key: string, { connection }: CallTarget, nowMs: number): KnownPause | undefined {
    const known = this.#known.get(key)
    if (known === undefined || !isSame(connection, known.connection)) return undefined
    return rememberedUntilMs(known) < nowMs ? undefined : known
  }
}

function widened(before: Owner | undefined, { keyId, conversation }: Sender): Owner {
  if (before === undefined) return { keyId, conversation: conversation() }
  if (before.keyId !== keyId) return {}
  return before.conversation === conversation() ? before : { keyId }
}

function isOf(owner: Owner, { keyId, conversation }: Sender): boolean {
  if (owner.keyId === undefined) return true
  if (owner.keyId !== keyId) return false
  return owner.conversation === undefined || owner.conversation === conversation()
}

function rememberedUntilMs({ row: { name }, untilMs, atMs }: KnownPause): number {
  const isLate = name === 'late' || name === 'stalled'
  return Math.max(untilMs, atMs + (isLate ? lateMemoryMs : memoryMs))
}

function isSame(a: ActiveConnection | undefined, b: ActiveConnection): boolean {
  if (a === b || a === undefined) return a === b
  const isSent = a.apiKey === b.apiKey && String(a.headers) === String(b.headers)
  return isSent && a.baseUrl === b.baseUrl
}

function forgetOldest(map: Map<string, unknown>): void {
  const [oldest] = map.keys()
  if (map.size > maxKnown && oldest !== undefined) map.delete(oldest)
}

type Keys = Readonly<Record<Exclude<FailureRow['pauses'], 'nothing'>, string>>

/** The keys of the connection, of its model, and of its model on one path. Lengths keep ids apart. */
function keysOf({ connection: { id }, ownId }: CallTarget, path: string): Keys {
  const connection = `${id.length} ${id}`
  const pair = `${connection} ${ownId.length} ${ownId}`
  return { connection, pair, path: `${pair} ${path}` }
}

function keyOf(keys: Keys, { name, pauses }: FailureRow): string {
  return pauses === 'nothing' ? '' : `${name} ${keys[pauses]}`
}
