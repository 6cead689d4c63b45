import { type BackOff, backOffMs } from '../../platform/process/back-off.ts'
import type { Log } from '../../platform/process/log.ts'
import type { KeyLease, KeyLeases } from '../drives/kit/key-leases.ts'
import { changeOf, type EventMessage } from './event-message.ts'
import type { EventRow, EventTable, Postponement } from './event-table.ts'
import { type EventTarget, RefusedEvent } from './event-targets.ts'

const pollMs = 1_000
const backOff: BackOff = { firstMs: 1_000, longestMs: 60_000 }
/** For refused events, so that many of them do not flood the receiver. */
const refusedBackOff: BackOff = { firstMs: 10_000, longestMs: 15 * 60_000 }
/** The maximum rows in memory, for each target. */
const batchRows = 64
/** The number of keys whose events are sent concurrently. */
const concurrentKeys = 8
/** After this many failures, other events go first, so that an event that is never accepted does not block them. */
const patience = 8
/** Events that are not delivered within this time are moved to the dead events. */
const keptMs = 24 * 60 * 60_000
const maxDead = 10_000
const buryEveryMs = 60_000

/** Events of a batch that were not accepted. */
interface Failure {
  /** An event, and later events of its key. */
  readonly rows: readonly EventRow[]
  readonly isRefused: boolean
}

export interface SenderParts {
  readonly table: Pick<EventTable, 'due' | 'settle' | 'bury'>
  /** One process sends to a target at a time. */
  readonly leases: Pick<KeyLeases, 'holdIfFree'>
  /** The database's time, milliseconds since the epoch. */
  readonly now: () => number
  readonly log: Log
  readonly random: () => number
  readonly onSent: () => void
  readonly onFailed: () => void
}

/** Sends the stored events to one target, and retries until it accepts them. */
export class EventSender {
  readonly #parts: SenderParts
  readonly #target: EventTarget
  readonly #closing = new AbortController()
  readonly #running: Promise<void>
  #wake: () => void = () => undefined
  #isPoked = false
  /** The number of consecutive batches of which nothing was accepted. */
  #failures = 0
  #hasProblem = false
  /** Whether another process is sending. */
  #isIdle = false
  #buriedAtMs: number

  constructor(target: EventTarget, parts: SenderParts) {
    this.#target = target
    this.#parts = parts
    // Events that waited while no process ran are tried before they are buried.
    this.#buriedAtMs = parts.now()
    this.#running = this.#run()
  }

  /** There may be new events. */
  poke(): void {
    this.#isPoked = true
    if (!this.#isPatient) this.#wake()
  }

  /** The next process sends what is being sent now again. */
  async close(): Promise<void> {
    this.#closing.abort()
    this.#wake()
    await this.#running
    this.#target.close()
  }

  /** Whether new events do not end its pauses. */
  get #isPatient(): boolean {
    return this.#failures > 0 || this.#isIdle
  }

  async #run(): Promise<void> {
    const { log, random } = this.#parts
    while (!this.#closing.signal.aborted) {
      this.#isPoked = false
      try {
        await this.#sendDue()
      } catch (err) {
        this.#failures += 1
        log.error({ err, target: this.#target.name }, 'could not read or store events')
      }
      const pauseMs = this.#failures === 0 ? pollMs : backOffMs(this.#failures, backOff, random)
      if (!this.#isPoked || this.#isPatient) await this.#pause(pauseMs)
    }
  }

  #pause(ms: number): Promise<void> {
    if (this.#closing.signal.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  async #sendDue(): Promise<void> {
    const hasNone = (await this.#due()).length === 0
    if (hasNone) this.#failures = 0
    if (hasNone && !this.#mayBury) return
    const work = async (lease: KeyLease) => {
      await this.#sendAll(lease)
      if (lease.isHeld && this.#mayBury) await this.#buryOld()
      return true
    }
    const { leases } = this.#parts
    this.#isIdle = (await leases.holdIfFree([`/${this.#target.name}`], work)) === undefined
  }

  async #sendAll(lease: KeyLease): Promise<void> {
    while (lease.isHeld && !this.#closing.signal.aborted) {
      const rows = await this.#due()
      if (rows.length === 0) return
      await this.#sendBatch(rows)
      if (this.#failures > 0) return
    }
  }

  #due(): Promise<EventRow[]> {
    const { table, now } = this.#parts
    return table.due(this.#target.name, { isConfirmed: true, nowMs: now(), limit: batchRows })
  }

  async #sendBatch(rows: readonly EventRow[]): Promise<void> {
    const sent: string[] = []
    const failures: Failure[] = []
    const chains = Map.groupBy(rows, keyOf).values()
    const work = async () => {
      // The workers share one iterator.
      for (const chain of chains) await this.#sendChain(chain, sent, failures)
    }
    await Promise.all(Array.from({ length: concurrentKeys }, work))
    const isAlive = sent.length > 0 || failures.every(({ isRefused }) => isRefused)
    const postponed = failures.flatMap((failure) => this.#postponed(failure, isAlive))
    await this.#parts.table.settle(this.#target.name, sent, postponed)
    this.#failures = isAlive ? 0 : this.#failures + 1
    if (failures.length === 0 && sent.length > 0) this.#tell(undefined)
  }

  /** Sends the events of one key in order. After a failure, the later ones wait. */
  async #sendChain(chain: readonly EventRow[], sent: string[], failures: Failure[]): Promise<void> {
    const { signal } = this.#closing
    for (const [position, row] of chain.entries()) {
      if (signal.aborted) return
      try {
        await this.#target.send(row.message, signal)
      } catch (error) {
        if (signal.aborted) return
        this.#parts.onFailed()
        this.#tell(error)
        const isRefused = error instanceof RefusedEvent
        failures.push({ rows: isRefused ? [row] : chain.slice(position), isRefused })
        if (isRefused) continue
        return
      }
      sent.push(row.id)
      this.#parts.onSent()
    }
  }

  /** While the receiver accepts nothing, events keep their order. */
  #postponed({ rows, isRefused }: Failure, isAlive: boolean): Postponement[] {
    const { now, random } = this.#parts
    const tried = rows[0]?.attempts ?? 0
    const keepsPlace = !isAlive && !isRefused && tried < patience
    const pauses = isRefused ? refusedBackOff : backOff
    // The same time for all events of a key, so that they keep their order.
    const laterMs = now() + backOffMs(tried + 1, pauses, random)
    return rows.map(({ id, target, attempts, dueAtMs }) => {
      return { id, target, attempts: attempts + 1, dueAtMs: keepsPlace ? dueAtMs : laterMs }
    })
  }

  /** One line when sending begins to fail, and one when it works again. */
  #tell(error: unknown): void {
    const hasProblem = error !== undefined
    if (hasProblem === this.#hasProblem) return
    this.#hasProblem = hasProblem
    const { log } = this.#parts
    const target = this.#target.name
    if (!hasProblem) {
      log.info({ target }, 'event delivery resumed')
      return
    }
    const reason = error instanceof Error ? error.message : String(error)
    log.warn({ target, reason }, 'could not deliver an event; will retry')
  }

  get #mayBury(): boolean {
    // The clock may have been set.
    return Math.abs(this.#parts.now() - this.#buriedAtMs) >= buryEveryMs
  }

  /** Includes events of targets that are no longer configured. */
  async #buryOld(): Promise<void> {
    const { table, now, log } = this.#parts
    const nowMs = now()
    this.#buriedAtMs = nowMs
    const limits = { beforeMs: nowMs - keptMs, nowMs, most: maxDead }
    const { buried, dropped } = await table.bury(limits)
    if (buried === 0) return
    log.error({ buried, dropped }, 'dropped events that were not delivered within a day')
  }
}

function keyOf({ message }: EventRow): string {
  const { bucket, key } = changeOf(JSON.parse(message) as EventMessage)
  return `${bucket}/${key}`
}
