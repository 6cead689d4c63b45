import type { KeyIdentity } from './authorize.ts'

/** Requests that may be sent at once, in seconds' worth of the limit. */
const burstSeconds = 1

/** Whose requests are counted: an access key, or a visitor who has its limits. */
export type Limited = Pick<KeyIdentity, 'limits'>
export type RequestLimit = Pick<RequestRate, 'take'>

interface Allowance {
  requests: number
  countedAtMs: number
}

/**
 * Limits the requests per second of access keys, as a token bucket. Each process counts for itself, so a key
 * may get as many times its limit as processes serve it.
 */
export class RequestRate {
  readonly #now: () => number
  /** A changed key has a new identity, and begins with a full allowance. */
  readonly #allowances = new WeakMap<Limited, Allowance>()

  /** @param now monotonic, milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Counts a request. Returns the seconds after which the next one is allowed; 0: this one is. */
  take(identity: Limited): number {
    const perSecond = identity.limits.requestsPerSecond
    if (perSecond === undefined) return 0
    const most = Math.max(1, perSecond * burstSeconds)
    const nowMs = this.#now()
    const allowance = this.#allowances.get(identity) ?? { requests: most, countedAtMs: nowMs }
    this.#allowances.set(identity, allowance)
    const earned = ((nowMs - allowance.countedAtMs) / 1_000) * perSecond
    allowance.requests = Math.min(most, allowance.requests + earned)
    allowance.countedAtMs = nowMs
    if (allowance.requests < 1) return (1 - allowance.requests) / perSecond
    allowance.requests -= 1
    return 0
  }
}
