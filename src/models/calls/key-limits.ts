import type { ModelKeyLimits } from '../keys/model-keys.ts'
import type { KeyUse } from '../usage/usage-table.ts'

/** Why a call is refused. */
export interface Refusal {
  /** The end of a sentence that begins with the name of the key. */
  readonly reason: string
  readonly waitSeconds: number
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
}

const minuteMs = 60_000

/** A token bucket that refills within a minute. `left` may be negative: answers are counted when they end. */
interface Allowance {
  left: number
  atMs: number
}

const nothing: KeyUse = { tokens: 0, micros: 0 }
/** The expected use of the first call of a key. */
const firstExpected: KeyUse = { tokens: 1_000, micros: 0 }

/**
 * The limits of model keys: per minute in each process, as token buckets, and per month for all processes together.
 * Calls in progress reserve what recent calls used, so that many calls at once cannot exceed a limit by much.
 */
export class KeyLimits {
  readonly #parts: KeyLimitsParts
  readonly #elapsed: () => number
  readonly #exists: (keyId: string) => boolean
  /** By name: `requests KEY` or `tokens KEY`. */
  readonly #allowances = new Map<string, Allowance>()
  /** Reserved for calls in progress, by key. */
  readonly #held = new Map<string, KeyUse>()
  /** Expected of a call, by key. Rises with a larger call at once, and falls slowly. */
  readonly #expected = new Map<string, KeyUse>()

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
    if (refusal !== undefined) return refusal
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
   * @param least the known minimum for the call
   * @throws DatabaseError
   */
  async hold(
    keyId: string,
    limits: ModelKeyLimits,
    least: KeyUse,
  ): Promise<Refusal | (() => void)> {
    if (!hasUseLimit(limits)) return () => undefined
    const used = await this.#usedOfMonth(keyId, limits)
    // Nothing is awaited from here on, so that no other call reserves the same.
    const refusal = this.#refusalOf(keyId, limits, used)
    if (refusal !== undefined) return refusal
    const held = combined(least, this.#expected.get(keyId) ?? firstExpected, Math.max)
    this.#addHeld(keyId, held, 1)
    let isHeld = true
    return () => {
      if (isHeld) this.#addHeld(keyId, held, -1)
      isHeld = false
    }
  }

  /** Counts what an answer used. */
  use(keyId: string, limits: ModelKeyLimits, used: KeyUse): void {
    // An answer may end after its key was deleted.
    if (!hasUseLimit(limits) || !this.#exists(keyId)) return
    if (!this.#expected.has(keyId)) this.#forgetDeleted()
    const before = this.#expected.get(keyId) ?? used
    const expected = combined(before, used, (known, now) =>
      Math.ceil(Math.max(now, 0.8 * known + 0.2 * now)),
    )
    this.#expected.set(keyId, expected)
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
    const held = this.#held.get(keyId) ?? nothing
    const { tokensPerMinute, tokensPerMonth = Number.POSITIVE_INFINITY } = limits
    const { dollarsPerMonth = Number.POSITIVE_INFINITY } = limits
    const microsPerMonth = dollarsPerMonth * 1e6
    if (used.tokens + held.tokens >= tokensPerMonth) {
      const isUsed = used.tokens >= tokensPerMonth
      return this.#monthRefusal(`${tokensPerMonth} tokens`, isUsed)
    }
    if (used.micros + held.micros >= microsPerMonth) {
      const isUsed = used.micros >= microsPerMonth
      return this.#monthRefusal(`${dollarsPerMonth} US dollars`, isUsed)
    }
    const tokens = this.#allowance(`tokens ${keyId}`, tokensPerMinute)
    if (tokens === undefined || tokensPerMinute === undefined || tokens.left > held.tokens)
      return undefined
    const reason = `has used its ${tokensPerMinute} tokens a minute.`
    return { reason, waitSeconds: tokens.left > 0 ? 1 : waitOf(1 - tokens.left, tokensPerMinute) }
  }

  /** @param isUsed false: calls in progress have reserved the rest */
  #monthRefusal(limit: string, isUsed: boolean): Refusal {
    const nowMs = this.#parts.now()
    const waitMs = isUsed ? nextMonthMs(nowMs) - nowMs : 1_000
    const reason = `has used its ${limit} for this month.`
    return { reason, waitSeconds: Math.ceil(waitMs / 1_000) }
  }

  #addHeld(keyId: string, use: KeyUse, sign: 1 | -1): void {
    const before = this.#held.get(keyId) ?? nothing
    const held = combined(before, use, (known, added) => known + sign * added)
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

function combined(a: KeyUse, b: KeyUse, of: (a: number, b: number) => number): KeyUse {
  return { tokens: of(a.tokens, b.tokens), micros: of(a.micros, b.micros) }
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
