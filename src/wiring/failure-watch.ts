import type { Buckets } from '../buckets/buckets.ts'
import { FailureRecorder, failureOf, keptFailures } from '../console/management/failure-recorder.ts'
import { isOrdinaryFailure, isOwnRequest } from '../console/management/ordinary-failures.ts'
import type { FailureStatus } from '../console/management/replies.ts'
import type { Outcome } from '../http/exchange.ts'
import type { HttpReply, HttpRequest } from '../http/message.ts'
import type { Refusal } from '../http/server.ts'
import type { Database } from '../state/database.ts'
import { FailureTable } from '../state/stores/failures.ts'
import type { Settings } from './settings/read-settings.ts'
import { clientOf } from './untrusted-proxies.ts'

export interface FailureWatchParts {
  readonly settings: Pick<Settings, 'trustProxy' | 'dashboardPassword'>
  readonly buckets: Pick<Buckets, 'find'>
  readonly database: Database
}

type Noted = Pick<HttpRequest, 'id' | 'method'> &
  Pick<HttpReply, 'status' | 'logFields'> & { readonly atMs: number }

/** Notes which requests of this process have failed, for the dashboard, if there is one. */
export class FailureWatch {
  readonly #settings: FailureWatchParts['settings']
  readonly #buckets: FailureWatchParts['buckets']
  readonly #addressOf: (request: HttpRequest) => string
  readonly #table: FailureTable
  readonly #recorder: FailureRecorder

  constructor({ settings, database, buckets }: FailureWatchParts) {
    this.#settings = settings
    this.#buckets = buckets
    this.#addressOf = clientOf(settings)
    this.#table = new FailureTable(database, keptFailures)
    this.#recorder = new FailureRecorder(this.#table)
  }

  /** For every finished request; costs a comparison if it did not fail. */
  onFinish(request: HttpRequest, { status, logFields, durationMs }: Outcome): void {
    if (status < 400 || isOwnRequest(request, logFields)) return
    const { id, method, receivedAtMs } = request
    const atMs = receivedAtMs + Math.round(durationMs)
    this.#note({ id, method, atMs, status, logFields }, () => this.#addressOf(request))
  }

  /** For input that was not a valid request. */
  onRefuse({ requestId, remoteAddress, reply: { status, logFields } }: Refusal): void {
    const noted = { id: requestId, method: '', atMs: Date.now(), status, logFields }
    this.#note(noted, () => remoteAddress)
  }

  /**
   * Of all processes, newest first: those of this one at once, those of others within a second.
   *
   * @throws DatabaseError
   */
  async latest(): Promise<FailureStatus[]> {
    await this.#recorder.flush()
    return (await this.#table.latest(Date.now())).map(failureOf)
  }

  /**
   * Forgets the failures of all processes until now.
   *
   * @throws DatabaseError
   */
  async clear(): Promise<void> {
    await this.#recorder.flush()
    await this.#table.clear(Date.now())
  }

  /** Writes what is left. */
  close(): Promise<void> {
    return this.#recorder.close()
  }

  #note({ id, method, atMs, status, logFields = {} }: Noted, addressOf: () => string): void {
    // Without a dashboard they are never shown.
    if (this.#settings.dashboardPassword === undefined) return
    if (isOrdinaryFailure({ method, status, logFields }, this.#buckets)) return
    this.#recorder.note({
      ...{ atMs, requestId: id, method, status },
      bucket: textOf(logFields.bucket),
      key: textOf(logFields.key),
      operation: textOf(logFields.operation),
      code: textOf(logFields.code),
      reason: textOf(logFields.reason),
      remoteAddress: addressOf(),
    })
  }
}

function textOf(fact: string | number | boolean | undefined): string | null {
  return fact === undefined ? null : String(fact)
}
