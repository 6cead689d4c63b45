import { randomBytes } from 'node:crypto'
import { isOnThisHost, livenessOf, type ProcessName, thisProcess } from './identity.ts'

/** The lease columns of a database row. */
interface LeaseRow {
  /** The holder's process and a random text; '' when the lease is free. */
  readonly leaseOwner: string
  /** Milliseconds since the epoch. */
  readonly leaseUntilMs: number
}

/** A new lease owner of this process, different each time. */
export function newLeaseOwner(name: ProcessName = thisProcess): string {
  return `${name} ${randomBytes(9).toString('base64url')}`
}

/** Whether the process of this lease owner has certainly ended. */
function isOwnerDead(leaseOwner: string): boolean {
  return livenessOf(processOf(leaseOwner)) === 'dead'
}

/**
 * Whether the process has ended and none of its writes can still arrive: data that a process of another host wrote to a
 * shared file may still be in the memory of that host.
 */
export function isOwnerDeadHere(leaseOwner: string): boolean {
  return isOnThisHost(processOf(leaseOwner)) && isOwnerDead(leaseOwner)
}

function processOf(leaseOwner: string): ProcessName {
  return leaseOwner.slice(0, leaseOwner.lastIndexOf(' '))
}

/** Longer than any lease. */
const longestLeaseMs = 120_000
/** The longest lease: a holder that can't renew its lease knows by then that it has lost it (HeldLease.isHeld). */
const renewedWithinMs = 60_000
const maxRemembered = 1_000

/** Leases with a too late expiry, and when this process first saw them (monotonic). */
const tooLate = new Map<string, number>()

/** Whether the lease may be taken: it is free, or its holder died or stopped renewing it. */
export function isLeaseFree({ leaseOwner, leaseUntilMs }: LeaseRow, nowMs: number): boolean {
  if (leaseOwner === '' || leaseUntilMs <= nowMs) return true
  if (isOwnerDead(leaseOwner)) return true
  return leaseUntilMs > nowMs + longestLeaseMs && isForgotten(`${leaseOwner} ${leaseUntilMs}`)
}

/**
 * Whether nobody renews a lease that expires later than any valid one. The database's clock was set back after the
 * lease was taken, so its expiry can't be used. A holder that is alive renews the lease by the new clock.
 */
function isForgotten(lease: string): boolean {
  const nowMs = performance.now()
  const sinceMs = tooLate.get(lease)
  if (sinceMs !== undefined) return nowMs - sinceMs > renewedWithinMs
  if (tooLate.size >= maxRemembered) tooLate.clear()
  tooLate.set(lease, nowMs)
  return false
}
