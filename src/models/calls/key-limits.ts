import type { ModelKeyLimits } from '../keys/model-keys.ts'
import type { KeyUse } from '../usage/usage-table.ts'

/** Why a call is refused. */
export interface Refusal {
  /** The end of a sentence that begins with the name of the key. */
  readonly reason: string
  readonly waitSeconds: number
  /** Whether only calls in progress have reserved what is left. */
  readonly isHeld?: boolean
}

/** What is reserved for a call: what it uses at most. */
export interface Reserved extends KeyUse {
  /** The part of `tokens` that is known to be used. */
  readonly inputTokens: number
}

interface KeyLimitsParts {
  /** Whether a key still exists. What is known about others is dropped. Default: all exist. */
  readonly exists?: (keyId: string) => boolean
  /** What a key has used in this month, in all processes, as far as known. @throws DatabaseError */
  readonly usedOfMonth: (keyId: string) => Promise<KeyUse>
  /** Wall clock, milliseconds since the epoch. */
  readonly now: () => number
  /** Monotonic, milliseconds. Default: the clock of the process. */
  readonly elapsed?: () => number
  /** How long a call waits for calls in progress, which have reserved what is left. Default: 10 seconds. */
  readonly patienceMs?: number
}

const minuteMs = 60_000

/** A token bucket that refills within a minute. `left` may be negative: answers are counted when they end. */
interface Allowance {
  left: number
  atMs: number
}

const nothing: KeyUse = { tokens: 0, micros: 0 }
const noneHeld: Held = { ...nothing, expected: 0 }
/** More calls of a key do not wait: each one is looked at when one of them ends. */
const maxWaiting = 100

/** Reserved for calls in progress. */
interface Held extends KeyUse {
  /** Tokens that are expected, for the limit of a minute: what is used beyond is waited for. */
  readonly expected: number
}

/**
 * The limits of model keys: per minute in each process, as token buckets, and per month for all processes together.
 * Calls in progress reserve what they may use at most in a month, so that together they exceed a limit by one call at
 * most. Far from a limit, all of that fits. Near it, calls wait for each other.
 */
export class KeyLimits {
  readonly #parts: KeyLimitsParts
  readonly #elapsed: () => number
  readonly #exists: (keyId: string) => boolean
  /** By name: `requests KEY` or `tokens KEY`. */
  readonly #allowances = new Map<string, Allowance>()
  /** Reserved for calls in progress, by key. */
  readonly #held = new Map<string, Held>()
  /** Tokens that are expected of a call, by key. Rises with a larger call at once, and falls slowly. */
  readonly #expected = new Map<string, number>()
  /** Calls that wait until another one ends, by key. */
  readonly #waiting = new Map<string, Set<() => void>>()

  constructor(parts: KeyLimitsParts) {
    this.#parts = parts
    this.#elapsed = parts.elapsed ?? (() => performance.now())
    this.#exists = parts.exists ?? (() => true)
  }

  /** The keys that something is stored for. */
  get knownKeys(): ReadonlySet<string> {
    return new Set([...Array.from(this.#allowances.keys(), keyOfName), ...this.#expected.keys()])
  }

  /** Counts a request, unless it is refused. @throws DatabaseError */
  async take(keyId: string, limits: ModelKeyLimits): Promise<Refusal | undefined> {
    const used = await this.#usedOfMonth(keyId, limits)
    const refusal = this.#refusalOf(keyId, limits, used)
    if (refusal !== undefined && refusal.isHeld !== true) return refusal
    const { requestsPerMinute } = limits
    const requests = this.#allowance(`requests ${keyId}`, requestsPerMinute)
    if (requests === undefined || requestsPerMinute === undefined) return undefined
    if (requests.left < 1) {
      const reason = `has made its ${requestsPerMinute} requests a minute.`
      return { reason, waitSeconds: waitOf(1 - requests.left, requestsPerMinute) }
    }
    requests.left -= 1
    return undefined
  }

  /**
   * Reserves tokens and money for a call until the returned function is called, unless the call is refused.
   *
   * @throws DatabaseError
   */
  async hold(
    keyId: string,
    limits: ModelKeyLimits,
    most: Reserved,
  ): Promise<Refusal | (() => void)> {
    if (!hasUseLimit(limits)) return () => undefined
    const untilMs = performance.now() + (this.#parts.patienceMs ?? 10_000)
    for (;;) {
      const used = await this.#usedOfMonth(keyId, limits)
      // Nothing is awaited between the answer and the reservation, so that no other call reserves the same.
      const refusal = this.#refusalOf(keyId, limits, used)
      if (refusal === undefined) break
      const waitMs = refusal.isHeld === true ? untilMs - performance.now() : 0
      if (waitMs <= 0 || !(await this.#released(keyId, waitMs))) return refusal
    }
    const expected = this.#expected.get(keyId) ?? most.tokens
    const held = { ...most, expected: Math.min(most.tokens, Math.max(most.inputTokens, expected)) }
    this.#addHeld(keyId, held, 1)
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      this.#addHeld(keyId, held, -1)
      for (const wake of this.#waiting.get(keyId) ?? []) wake()
    }
  }

  /** Resolves when a call of the key has ended, or the time is over. Returns false at once if too many calls wait. */
  async #released(keyId: string, waitMs: number): Promise<boolean> {
    const waiting = this.#waiting.get(keyId) ?? new Set()
    if (waiting.size >= maxWaiting) return false
    this.#waiting.set(keyId, waiting)
    const { promise, resolve } = Promise.withResolvers<void>()
    waiting.add(resolve)
    const timer = setTimeout(resolve, waitMs)
    await promise
    clearTimeout(timer)
    waiting.delete(resolve)
    if (waiting.size === 0) this.#waiting.delete(keyId)
    return true
  }

  /** Counts what an answer used. */
  use(keyId: string, limits: ModelKeyLimits, used: KeyUse): void {
    // An answer may end after its key was deleted.
    if (!hasUseLimit(limits) || !this.#exists(keyId)) return
    if (!this.#expected.has(keyId)) this.#forgetDeleted()
    const before = this.#expected.get(keyId) ?? used.tokens
    this.#expected.set(keyId, Math.ceil(Math.max(used.tokens, 0.8 * before + 0.2 * used.tokens)))
    const allowance = this.#allowance(`tokens ${keyId}`, limits.tokensPerMinute)
    if (allowance !== undefined) allowance.left -= used.tokens
  }

  async #usedOfMonth(
    keyId: string,
    { tokensPerMonth, dollarsPerMonth }: ModelKeyLimits,
  ): Promise<KeyUse> {
    const isLimited = (tokensPerMonth ?? dollarsPerMonth) !== undefined
    return isLimited ? await this.#parts.usedOfMonth(keyId) : nothing
  }

  #refusalOf(keyId: string, limits: ModelKeyLimits, used: KeyUse): Refusal | undefined {
    const held = this.#held.get(keyId) ?? noneHeld
    const { tokensPerMinute, tokensPerMonth, dollarsPerMonth: dollars } = limits
    const months = [
      [used.tokens, held.tokens, tokensPerMonth, `${tokensPerMonth} tokens`],
      [used.micros, held.micros, dollars && dollars * 1e6, `${dollars} US dollars`],
    ] as const
    for (const [spent, reserved, limit = Number.POSITIVE_INFINITY, words] of months) {
      const nowMs = this.#parts.now()
      const waitSeconds = Math.ceil((nextMonthMs(nowMs) - nowMs) / 1_000)
      if (spent >= limit) return { reason: `has used its ${words} for this month.`, waitSeconds }
      const reason = `has calls in progress that may use the rest of its ${words} for this month. Wait for their answers, or send a smaller max_tokens.`
      if (spent + reserved >= limit) return { reason, waitSeconds: 1, isHeld: true }
    }
    const tokens = this.#allowance(`tokens ${keyId}`, tokensPerMinute)
    if (tokens === undefined || tokensPerMinute === undefined || tokens.left > held.expected)
      return undefined
    const isHeld = tokens.left > 0
    const reason = isHeld
      ? `has calls in progress that may use the rest of its ${tokensPerMinute} tokens a minute. Wait for their answers.`
      : `has used its ${tokensPerMinute} tokens a minute.`
    return { reason, waitSeconds: isHeld ? 1 : waitOf(1 - tokens.left, tokensPerMinute), isHeld }
  }

  #addHeld(keyId: string, use: Held, sign: 1 | -1): void {
    const before = this.#held.get(keyId) ?? noneHeld
    const held = {
      tokens: before.tokens + sign * use.tokens,
      micros: before.micros + sign * use.micros,
      expected: before.expected + sign * use.expected,
    }
    if (held.tokens > 0 || held.micros > 0) this.#held.set(keyId, held)
    else this.#held.delete(keyId)
  }

  /** Called for each new key, so that memory is bounded by the number of existing keys. */
  #forgetDeleted(): void {
    for (const name of this.#allowances.keys()) {
      if (!this.#exists(keyOfName(name))) this.#allowances.delete(name)
    }
    for (const keyId of this.#expected.keys()) {
      if (!this.#exists(keyId)) this.#expected.delete(keyId)
    }
  }

  /** Undefined without a limit. */
  #allowance(name: string, perMinute: number | undefined): Allowance | undefined {
    if (perMinute === undefined) return undefined
    const atMs = this.#elapsed()
    if (!this.#allowances.has(name)) this.#forgetDeleted()
    const known = this.#allowances.get(name) ?? { left: perMinute, atMs }
    const earned = ((atMs - known.atMs) / minuteMs) * perMinute
    const allowance = { left: Math.min(perMinute, known.left + earned), atMs }
    this.#allowances.set(name, allowance)
    return allowance
  }
}

/** The key in `requests KEY`. */
function keyOfName(name: string): string {
  return name.slice(name.indexOf(' ') + 1)
}

/** Whether tokens or money are limited. */
export function hasUseLimit({
  tokensPerMinute,
  tokensPerMonth,
  dollarsPerMonth,
}: ModelKeyLimits): boolean {
  return (tokensPerMinute ?? tokensPerMonth ?? dollarsPerMonth) !== undefined
}

function waitOf(missing: number, perMinute: number): number {
  return Math.max(1, Math.ceil((missing / perMinute) * 60))
}

/** The beginning of the month, UTC. */
export function monthMs(nowMs: number): number {
  const now = new Date(nowMs)
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth())
}

function nextMonthMs(nowMs: number): number {
  const now = new Date(nowMs)
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)
}
