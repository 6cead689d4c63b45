import type { TlsIdentity } from '../../../platform/http/server.ts'
import type { OnTime, RevisionName } from '../../../platform/state/revision-table.ts'
import type { RevisionCheck } from '../../../platform/state/revision-watch.ts'
import type { Settings } from '../../settings/read-settings.ts'
import type { Snapshot } from '../../telemetry/metrics/snapshot.ts'

/** The argument that makes a process a worker. Process managers may run the primary under node:cluster. */
export const workerArgument = '--worker'

/**
 * Messages from the primary to a worker. Only the primary reads the settings: all workers have the same ones.
 */
export type ToWorker =
  | { readonly kind: 'start'; readonly settings: Settings }
  | { readonly kind: 'tls'; readonly tls: TlsIdentity }
  /** The worker is no longer ready, but still serves requests. */
  | { readonly kind: 'begin-stop' }
  /** The access log's file was moved. */
  | { readonly kind: 'reopen' }
  | { readonly kind: 'stop' }
  /** Asks for the worker's metrics. */
  | { readonly kind: 'metrics' }
  /** The metrics of all processes; undefined if they could not be gathered. */
  | { readonly kind: 'scraped'; readonly text: string | undefined }
  /** The primary asks the database on behalf of all workers. */
  | { readonly kind: 'revisions'; readonly check: SharedCheck }
  /** Another worker has changed what all keep copies of. Answered when it has been read. */
  | { readonly kind: 'read-change'; readonly id: number }
  /** All other processes have read a change of this worker. */
  | { readonly kind: 'spread'; readonly id: number }
  /** A worker answers at once unless its event loop is blocked. */
  | { readonly kind: 'ping' }

/** Messages from a worker to the primary. */
export type FromWorker =
  | { readonly kind: 'serving'; readonly port: number }
  | { readonly kind: 'pong' }
  /** The worker has changed what all processes keep copies of. */
  | { readonly kind: 'changed'; readonly id: number }
  /** The answer to `read-change`. */
  | { readonly kind: 'change-read'; readonly id: number }
  /** The worker can't start; the message says why. */
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'metrics'; readonly snapshot: Snapshot }
  /** Asks for the metrics of all processes. */
  | { readonly kind: 'scrape' }
  /** A proxy that TRUST_PROXY does not name: logged once for all workers. */
  | { readonly kind: 'untrusted-proxy'; readonly address: string }

/** Maximum error of the difference: if it is larger, the process was interrupted while it read both clocks. */
const exactMs = 0.1

/** By how much `performance.now` is ahead of the monotonic clock that all processes of a machine share. */
const aheadMs = compareClocks()

/** A check of revisions, with the database's time if it was measured. Times are those of `performance.now`. */
export interface TimedCheck extends RevisionCheck {
  readonly time: Parameters<OnTime> | undefined
}

/** A check as a message to another process of this machine, with times of the machine's shared clock. */
export interface SharedCheck extends Omit<TimedCheck, 'numbers'> {
  readonly numbers: readonly (readonly [RevisionName, number])[]
}

/** Converts a check to the shared clock, to send it. */
export function sharedCheck(check: TimedCheck): SharedCheck {
  return { ...shifted(check, -aheadMs), numbers: [...check.numbers] }
}

/** Converts a received check to this process's clock. */
export function ownCheck(check: SharedCheck): TimedCheck {
  return { ...shifted(check, aheadMs), numbers: new Map(check.numbers) }
}

function shifted({ askedAtMs, isDoubtful, time }: Omit<TimedCheck, 'numbers'>, byMs: number) {
  const moved: TimedCheck['time'] = time && [time[0], time[1] + byMs, time[2] + byMs]
  return { askedAtMs: askedAtMs + byMs, isDoubtful, time: moved }
}

function compareClocks(): number {
  for (;;) {
    const before = performance.now()
    const sharedMs = Number(process.hrtime.bigint()) / 1e6
    if (performance.now() - before < exactMs) return before - sharedMs
  }
}
