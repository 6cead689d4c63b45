import type { TlsIdentity } from '../../../platform/http/server.ts'
import type { Settings } from '../../settings/read-settings.ts'
import type { Snapshot } from '../../telemetry/metrics/snapshot.ts'
import type { SharedCheck } from './shared-check.ts'

/** The argument that makes a process a worker. Process managers may run the primary under node:cluster. */
export const workerArgument = '--worker'

/**
 * Messages from the primary to a worker. Settings are read once, there, so that all workers agree.
 */
export type ToWorker =
  | { readonly kind: 'start'; readonly settings: Settings }
  | { readonly kind: 'tls'; readonly tls: TlsIdentity }
  /** Requests are still served, but the worker is not ready. */
  | { readonly kind: 'begin-stop' }
  /** The file of the access log was moved. */
  | { readonly kind: 'reopen' }
  | { readonly kind: 'stop' }
  /** Asks for its metrics. */
  | { readonly kind: 'metrics' }
  /** The metrics of all processes; undefined if they could not be gathered. */
  | { readonly kind: 'scraped'; readonly text: string | undefined }
  /** The primary asks the database for all. */
  | { readonly kind: 'revisions'; readonly check: SharedCheck }
  /** A worker whose event loop runs answers at once. */
  | { readonly kind: 'ping' }

/** Messages from a worker to the primary. */
export type FromWorker =
  | { readonly kind: 'serving'; readonly port: number }
  | { readonly kind: 'pong' }
  /** It can't start; the message says why. */
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'metrics'; readonly snapshot: Snapshot }
  /** Asks for the metrics of all processes. */
  | { readonly kind: 'scrape' }
  /** A proxy that TRUST_PROXY does not name: logged once for all workers. */
  | { readonly kind: 'untrusted-proxy'; readonly address: string }
