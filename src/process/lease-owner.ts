import { randomBytes } from 'node:crypto'
import { livenessOf, type ProcessName, thisProcess } from './identity.ts'

/** The lease columns of a database row. */
export interface LeaseRow {
  /** The holder's process and a random text; '' when it is free. */
  readonly leaseOwner: string
  /** Milliseconds since the epoch. */
  readonly leaseUntilMs: number
}

/** A new lease owner of this process, different each time. */
export function newLeaseOwner(name: ProcessName = thisProcess): string {
  return `${name} ${randomBytes(9).toString('base64url')}`
}

/** Whether the process of this lease owner certainly does not run any more. */
export function isOwnerDead(leaseOwner: string): boolean {
  return livenessOf(leaseOwner.slice(0, leaseOwner.lastIndexOf(' '))) === 'dead'
}

/** Whether the lease may be taken: it is free, or its holder died or stopped renewing it. */
export function isLeaseFree({ leaseOwner, leaseUntilMs }: LeaseRow, nowMs: number): boolean {
  if (leaseOwner === '' || leaseUntilMs <= nowMs) return true
  return isOwnerDead(leaseOwner)
}
