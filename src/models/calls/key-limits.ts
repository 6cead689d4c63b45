import type { ModelKeyLimits } from '../keys/model-key.ts'

/** Why a call is refused. */
interface Refusal {
  /** Follows the name of the key. */
  readonly reason: string
  readonly waitSeconds: number
}

interface KeyLimitsParts {
  /** The tokens of a key in this month, of all processes as far as they are known. @throws DatabaseError */
  readonly tokensOfMonth: (keyId: string) => Promise<number>
  /** Wall clock, milliseconds since the epoch. */
  readonly now: () => number
  /** Milliseconds of a clock that is never set. Default: that of the process. */
  readonly elapsed?: () => number
}

const minuteMs = 60_000

/** What is left of a limit that fills up again within a minute. It may be overdrawn: answers are counted at their end. */
interface Allowance {
  left: number
  atMs: number
}

/**
 * The limits of model keys. Those of a minute count in each process for itself, as token buckets; that of a month
 * counts for all together.
 */
export class KeyLimits {
  readonly #parts: KeyLimitsParts
  readonly #elapsed: () => number
  /** By kind and key. */
  readonly #allowances = new Map<string, Allowance>()

  constructor(parts: KeyLimitsParts) {
    this.#parts = parts
    this.#elapsed = parts.elapsed ?? (() => performance.now())
  }

  /** Counts a request, unless it is refused. @throws DatabaseError */
  async take(keyId: string, limits: ModelKeyLimits): Promise<Refusal | undefined> {
    const { requestsPerMinute, tokensPerMinute, tokensPerMonth } = limits
    const nowMs = this.#parts.now()
    if (tokensPerMonth !== undefined) {
      const used = await this.#parts.tokensOfMonth(keyId)
      if (used >= tokensPerMonth) {
        const reason = `has used its ${tokensPerMonth} tokens of this month.`
        return { reason, waitSeconds: Math.ceil((nextMonthMs(nowMs) - nowMs) / 1_000) }
      }
    }
    const tokens = this.#allowance(`tokens ${keyId}`, tokensPerMinute)
    if (tokens !== undefined && tokensPerMinute !== undefined && tokens.left <= 0) {
      const reason = `has used its ${tokensPerMinute} tokens a minute.`
      return { reason, waitSeconds: waitOf(1 - tokens.left, tokensPerMinute) }
    }
    const requests = this.#allowance(`requests ${keyId}`, requestsPerMinute)
    if (requests === undefined || requestsPerMinute === undefined) return undefined
    if (requests.left < 1) {
      const reason = `has made its ${requestsPerMinute} requests a minute.`
      return { reason, waitSeconds: waitOf(1 - requests.left, requestsPerMinute) }
    }
    requests.left -= 1
    return undefined
  }

  /** Counts the tokens of an answer. */
  use(keyId: string, { tokensPerMinute }: ModelKeyLimits, tokens: number): void {
    const allowance = this.#allowance(`tokens ${keyId}`, tokensPerMinute)
    if (allowance !== undefined) allowance.left -= tokens
  }

  /** Undefined without a limit. */
  #allowance(name: string, perMinute: number | undefined): Allowance | undefined {
    if (perMinute === undefined) return undefined
    const atMs = this.#elapsed()
    const known = this.#allowances.get(name) ?? { left: perMinute, atMs }
    const earned = ((atMs - known.atMs) / minuteMs) * perMinute
    const allowance = { left: Math.min(perMinute, known.left + earned), atMs }
    this.#allowances.set(name, allowance)
    return allowance
  }
}

function waitOf(missing: number, perMinute: number): number {
  return Math.max(1, Math.ceil((missing / perMinute) * 60))
}

/** UTC. */
export function monthMs(nowMs: number): number {
  const now = new Date(nowMs)
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth())
}

function nextMonthMs(nowMs: number): number {
  const now = new Date(nowMs)
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)
}
