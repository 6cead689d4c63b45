import type { KeyIdentity } from './authorize.ts'

/** The size of the bucket: the requests of this many seconds. */
const burstSeconds = 1

/** A sender with limits: an access key, or a visitor with the limits of one. */
export type Limited = Pick<KeyIdentity, 'limits'>
export type RequestLimit = Pick<RequestRate, 'take'>

interface Allowance {
  requests: number
  countedAtMs: number
}

/**
 * Limits the requests per second of access keys with token buckets. Each process counts separately, so several
 * processes allow a multiple of the limit.
 */
export class RequestRate {
  readonly #now: () => number
  /** A changed key has a new identity, and starts with a full bucket. */
  readonly #allowances = new WeakMap<Limited, Allowance>()

  /** @param now monotonic, milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Counts a request. Returns 0 if it is allowed, otherwise the seconds until the next one is. */
  take(identity: Limited): number {
    const perSecond = identity.limits.requestsPerSecond
    if (perSecond === undefined) return 0
    const capacity = Math.max(1, perSecond * burstSeconds)
    const nowMs = this.#now()
    const allowance = this.#allowances.get(identity) ?? { requests: capacity, countedAtMs: nowMs }
    this.#allowances.set(identity, allowance)
    const earned = ((nowMs - allowance.countedAtMs) / 1_000) * perSecond
    allowance.requests = Math.min(capacity, allowance.requests + earned)
    allowance.countedAtMs = nowMs
    if (allowance.requests < 1) return (1 - allowance.requests) / perSecond
    allowance.requests -= 1
    return 0
  }
}
