import type { HttpReply } from '../../../platform/http/message.ts'
import type { Refusal } from '../../../platform/http/server.ts'
import { s3Errors } from '../../../storage/s3/errors.ts'
import { operations } from '../../../storage/s3/operations.ts'
import { type Part, probeOperation } from '../../gateway/gateway.ts'
import type { RequestRecord, RequestSink } from '../requests.ts'
import { Histogram, type SnapshotBuilder } from './snapshot.ts'

/** Seconds: from a small object in memory to an upload that takes many minutes. */
const durationBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60]

const s3Operations: ReadonlySet<unknown> = new Set(Object.keys(operations))

/** Requests without an operation are counted by the part of the gateway that answers them. */
const partNames: Readonly<Record<Part, string>> = {
  // Rejected before the operation was known.
  s3: 'Unknown',
  health: 'Probe',
  liveness: 'Probe',
  readiness: 'Probe',
  metrics: 'Metrics',
  json: 'Api',
  web: 'Dashboard',
  shares: 'Share',
}

class OperationCounts {
  readonly statuses: Record<string, number> = {}
  readonly errors: Record<string, number> = {}
  readonly durations = new Histogram(durationBounds)
  received = 0
  sent = 0
  aborted = 0
}

/** Counts the requests of this process. */
export class RequestMetrics implements RequestSink {
  readonly #operations = new Map<string, OperationCounts>()
  readonly #faults: Record<string, number> = {}
  #connectionsOverLimit = 0

  onRequest(record: RequestRecord): void {
    const { outcome } = record
    const { status, logFields, failure, isAborted } = outcome
    const name = operationOf(record)
    let counts = this.#operations.get(name)
    if (counts === undefined) {
      counts = new OperationCounts()
      this.#operations.set(name, counts)
    }
    increment(counts.statuses, classOf(status))
    counts.durations.observe(outcome.durationMs / 1_000)
    counts.received += outcome.bytesReceived
    counts.sent += outcome.bytesSent
    if (isAborted) counts.aborted += 1
    if (status >= 400) increment(counts.errors, codeOf(status, logFields))
    // The status was sent before the reply failed.
    else if (failure !== undefined) increment(counts.errors, 'BrokenReply')
  }

  onRefuse({ fault }: Pick<Refusal, 'fault'>): void {
    increment(this.#faults, fault)
  }

  onFull(): void {
    this.#connectionsOverLimit += 1
  }

  addTo(snapshot: SnapshotBuilder): void {
    for (const [operation, counts] of this.#operations) {
      for (const [status, count] of Object.entries(counts.statuses)) {
        snapshot.add('bucketry_requests_total', count, { operation, status })
      }
      for (const [code, count] of Object.entries(counts.errors)) {
        snapshot.add('bucketry_request_errors_total', count, { operation, code })
      }
      const labels = { operation }
      snapshot.addHistogram('bucketry_request_duration_seconds', counts.durations, labels)
      snapshot.add('bucketry_request_received_bytes_total', counts.received, labels)
      snapshot.add('bucketry_request_sent_bytes_total', counts.sent, labels)
      snapshot.add('bucketry_requests_aborted_total', counts.aborted, labels)
    }
    for (const [fault, count] of Object.entries(this.#faults)) {
      snapshot.add('bucketry_invalid_requests_total', count, { fault })
    }
    snapshot.add('bucketry_connections_over_limit_total', this.#connectionsOverLimit)
  }
}

function operationOf(record: RequestRecord): string {
  const operation = record.outcome.logFields?.operation
  if (s3Operations.has(operation)) return String(operation)
  if (operation === probeOperation) return partNames.liveness
  return operation === 'toDashboard' ? partNames.web : partNames[record.part]
}

function classOf(status: number): string {
  return `${Math.floor(status / 100)}xx`
}

/** An S3 error code, or else the class of the status: codes of other protocols are not a fixed list. */
function codeOf(status: number, logFields: HttpReply['logFields']): string {
  const code = logFields?.code
  return typeof code === 'string' && Object.hasOwn(s3Errors, code) ? code : classOf(status)
}

function increment(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1
}
