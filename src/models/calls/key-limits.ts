import type { ModelKeyLimits } from '../keys/model-keys.ts'

/** Why a call is refused. */
export interface Refusal {
  /** The end of a sentence that begins with the name of the key. */
  readonly reason: string
  readonly waitSeconds: number
}

interface KeyLimitsParts {
  /** Whether a key still exists. What is known about others is dropped. Default: all exist. */
  readonly exists?: (keyId: string) => boolean
  /** The tokens of a key in this month, of all processes, as far as known. @throws DatabaseError */
  readonly tokensOfMonth: (keyId: string) => Promise<number>
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

/** The expected tokens of the first call of a key. */
const firstExpected = 1_000

/**
 * The limits of model keys: per minute in each process, as token buckets, and per month for all processes together.
 * Calls in progress reserve the tokens that recent calls used, so that many calls at once cannot exceed a limit by much.
 */
export class KeyLimits {
  readonly #parts: KeyLimitsParts
  readonly #elapsed: () => number
  readonly #exists: (keyId: string) => boolean
  /** By name: `requests KEY` or `tokens KEY`. */
  readonly #allowances = new Map<string, Allowance>()
  /** Reserved tokens of calls in progress, by key. */
  readonly #held = new Map<string, number>()
  /** Expected tokens of a call, by key. Rises with a larger call at once, and falls slowly. */
  readonly #expected = new Map<string, number>()

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
    const refusal = this.#tokenRefusal(keyId, limits, used)
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
   * Reserves tokens for a call until the returned function is called, unless the call is refused.
   *
   * @param minTokens the known minimum for the call
   * @throws DatabaseError
   */
  async hold(
    keyId: string,
    limits: ModelKeyLimits,
    minTokens: number,
  ): Promise<Refusal | (() => void)> {
    if (!hasTokenLimit(limits)) return () => undefined
    const used = await this.#usedOfMonth(keyId, limits)
    // Nothing is awaited from here on, so that no other call reserves the same tokens.
    const refusal = this.#tokenRefusal(keyId, limits, used)
    if (refusal !== undefined) return refusal
    const tokens = Math.max(minTokens, this.#expected.get(keyId) ?? firstExpected)
    this.#addHeld(keyId, tokens)
    let isHeld = true
    return () => {
      if (isHeld) this.#addHeld(keyId, -tokens)
      isHeld = false
    }
  }

  /** Counts the tokens of an answer. */
  use(keyId: string, limits: ModelKeyLimits, tokens: number): void {
    // An answer may end after its key was deleted.
    if (!hasTokenLimit(limits) || !this.#exists(keyId)) return
    if (!this.#expected.has(keyId)) this.#forgetDeleted()
    const expected = this.#expected.get(keyId) ?? tokens
    this.#expected.set(keyId, Math.max(tokens, 0.8 * expected + 0.2 * tokens))
    const allowance = this.#allowance(`tokens ${keyId}`, limits.tokensPerMinute)
    if (allowance !== undefined) allowance.left -= tokens
  }

  async #usedOfMonth(keyId: string, { tokensPerMonth }: ModelKeyLimits): Promise<number> {
    return tokensPerMonth === undefined ? 0 : await this.#parts.tokensOfMonth(keyId)
  }

  #tokenRefusal(
    keyId: string,
    { tokensPerMinute, tokensPerMonth }: ModelKeyLimits,
    used: number,
  ): Refusal | undefined {
    const held = this.#held.get(keyId) ?? 0
    if (tokensPerMonth !== undefined && used + held >= tokensPerMonth) {
      const nowMs = this.#parts.now()
      const waitMs = used >= tokensPerMonth ? nextMonthMs(nowMs) - nowMs : 1_000
      const reason = `has used its ${tokensPerMonth} tokens for this month.`
      return { reason, waitSeconds: Math.ceil(waitMs / 1_000) }
    }
    const tokens = this.#allowance(`tokens ${keyId}`, tokensPerMinute)
    if (tokens === undefined || tokensPerMinute === undefined || tokens.left > held)
      return undefined
    const reason = `has used its ${tokensPerMinute} tokens a minute.`
    return { reason, waitSeconds: tokens.left > 0 ? 1 : waitOf(1 - tokens.left, tokensPerMinute) }
  }

  #addHeld(keyId: string, tokens: number): void {
    const held = (this.#held.get(keyId) ?? 0) + tokens
    if (held > 0) this.#held.set(keyId, held)
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

function hasTokenLimit({ tokensPerMinute, tokensPerMonth }: ModelKeyLimits): boolean {
  return tokensPerMinute !== undefined || tokensPerMonth !== undefined
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
