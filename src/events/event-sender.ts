import type { Drive } from '../drives/drive.ts'
import type { KeyLease, KeyLeases } from '../drives/key-leases.ts'
import { type BackOff, backOffMs } from '../process/back-off.ts'
import type { EventRow, EventTable, Postponement } from '../state/stores/events.ts'
import { changeOf, type EventMessage, withSize } from './event-message.ts'
import type { EventTarget } from './event-target.ts'

const pollMs = 1_000
const backOff: BackOff = { firstMs: 1_000, longestMs: 60_000 }
/** Rows in memory at a time, for each target. */
const batchRows = 64
/** Keys whose events are sent at the same time. */
const concurrentKeys = 8
/** Others go first after so many failures: what no receiver accepts must not keep them back. */
const patience = 8
/** The change of an intent has not happened if it shows by then neither on the drive nor by a confirmation. */
const intentKeptMs = 60 * 60_000
/** An event that nobody accepts goes to the dead ones then. */
const keptMs = 24 * 60 * 60_000
const mostDead = 10_000
const buryEveryMs = 60_000

interface SenderLog {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

export interface SenderParts {
  readonly table: Pick<EventTable, 'due' | 'settle' | 'confirm' | 'cancel' | 'bury'>
  readonly drive: Pick<Drive, 'head'>
  /** One process sends to a target at a time. */
  readonly leases: Pick<KeyLeases, 'holdIfFree'>
  /** The database's time, milliseconds since the epoch. */
  readonly now: () => number
  readonly log: SenderLog
  readonly random: () => number
  readonly onSent: () => void
  readonly onFailed: () => void
}

/** Sends the stored events to one target, again and again until it accepts them. */
export class EventSender {
  readonly #parts: SenderParts
  readonly #target: EventTarget
  readonly #closing = new AbortController()
  readonly #running: Promise<void>
  #wake: () => void = () => undefined
  #isPoked = false
  /** Batches of which nothing was accepted, one after the other. */
  #failures = 0
  #hasProblem = false
  #buriedAtMs = Number.NEGATIVE_INFINITY

  constructor(target: EventTarget, parts: SenderParts) {
    this.#target = target
    this.#parts = parts
    this.#running = this.#run()
  }

  /** There may be new events. */
  poke(): void {
    this.#isPoked = true
    if (this.#failures === 0) this.#wake()
  }

  /** What is being sent is sent again by the next process. */
  async close(): Promise<void> {
    this.#closing.abort()
    this.#wake()
    await this.#running
    this.#target.close()
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing
    while (!signal.aborted) {
      this.#isPoked = false
      try {
        await this.#sendDue()
        await this.#buryOld()
      } catch (err) {
        this.#parts.log.error({ err, target: this.#target.name }, 'could not read or store events')
      }
      const pauseMs =
        this.#failures === 0 ? pollMs : backOffMs(this.#failures, backOff, this.#parts.random)
      if (!this.#isPoked || this.#failures > 0) await this.#pause(pauseMs)
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
    const [confirmed, intents] = await Promise.all([this.#due(true), this.#due(false)])
    if (confirmed.length + intents.length === 0) return
    await this.#parts.leases.holdIfFree([`/${this.#target.name}`], async (lease) => {
      await this.#recover(lease)
      for (;;) {
        if (!lease.isHeld || this.#closing.signal.aborted) return
        const rows = await this.#due(true)
        if (rows.length === 0) return
        await this.#sendBatch(rows)
        if (this.#failures > 0) return
      }
    })
  }

  #due(isConfirmed: boolean): Promise<EventRow[]> {
    const { table, now } = this.#parts
    return table.due(this.#target.name, { isConfirmed, nowMs: now(), limit: batchRows })
  }

  async #sendBatch(rows: readonly EventRow[]): Promise<void> {
    const { table } = this.#parts
    const sent: string[] = []
    const failed: EventRow[] = []
    const chains = Map.groupBy(rows, keyOf).values()
    const work = async () => {
      // The workers share one iterator.
      for (const chain of chains) await this.#sendChain(chain, sent, failed)
    }
    await Promise.all(Array.from({ length: concurrentKeys }, work))
    const isDead = sent.length === 0 && failed.length > 0
    const postponed = failed.map((row) => this.#postponed(row, isDead))
    await table.settle(this.#target.name, sent, postponed)
    this.#failures = isDead ? this.#failures + 1 : 0
  }

  /** The events of one key, in their order. What follows one that fails waits with it. */
  async #sendChain(chain: readonly EventRow[], sent: string[], failed: EventRow[]): Promise<void> {
    const { signal } = this.#closing
    for (const [position, row] of chain.entries()) {
      if (signal.aborted) return
      try {
        await this.#target.send(row.message, signal)
      } catch (error) {
        if (signal.aborted) return
        this.#parts.onFailed()
        this.#tell(error)
        failed.push(...chain.slice(position))
        return
      }
      sent.push(row.id)
      this.#parts.onSent()
      this.#tell(undefined)
    }
  }

  /** While nothing is accepted, events stay in their order. */
  #postponed({ id, target, attempts, dueAtMs }: EventRow, isDead: boolean): Postponement {
    const { now, random } = this.#parts
    const keepsPlace = isDead && attempts < patience
    const laterMs = now() + backOffMs(attempts + 1, backOff, random)
    return { id, target, attempts: attempts + 1, dueAtMs: keepsPlace ? dueAtMs : laterMs }
  }

  /** One line when sending begins to fail, and one when it works again. */
  #tell(error: unknown): void {
    const hasProblem = error !== undefined
    if (hasProblem === this.#hasProblem) return
    this.#hasProblem = hasProblem
    const { log } = this.#parts
    const target = this.#target.name
    if (!hasProblem) {
      log.info({ target }, 'events are sent again')
      return
    }
    const reason = error instanceof Error ? error.message : String(error)
    log.warn({ target, reason }, 'an event could not be sent; events are sent again later')
  }

  /** Finds out whether changes have happened whose process did not say so. */
  async #recover(lease: KeyLease): Promise<void> {
    for (const row of await this.#due(false)) {
      if (!lease.isHeld || this.#closing.signal.aborted) return
      await this.#look(row)
    }
  }

  async #look(row: EventRow): Promise<void> {
    const { table, drive, now, random } = this.#parts
    const message = JSON.parse(row.message) as EventMessage
    const { bucket, key, etag } = changeOf(message)
    const attempts = row.attempts + 1
    const later = { ...row, attempts, dueAtMs: now() + backOffMs(attempts, backOff, random) }
    const found = await drive.head(bucket, key).catch(() => 'unknown' as const)
    if (found === 'unknown') return await table.settle(row.target, [], [later])
    const hasHappened = etag === undefined ? found === undefined : found?.attributes.etag === etag
    if (hasHappened) {
      const told = found === undefined ? message : withSize(message, found.size)
      const confirmed = { ...row, message: JSON.stringify(told), attempts: 0, dueAtMs: now() }
      return await table.confirm([confirmed])
    }
    const isOver = row.madeAtMs < now() - intentKeptMs
    // It may have been confirmed meanwhile: then it stays.
    if (isOver) await table.cancel([row])
    else await table.settle(row.target, [], [later])
  }

  async #buryOld(): Promise<void> {
    const { table, now, log } = this.#parts
    const nowMs = now()
    if (nowMs - this.#buriedAtMs < buryEveryMs) return
    this.#buriedAtMs = nowMs
    const target = this.#target.name
    const limits = { beforeMs: nowMs - keptMs, nowMs, most: mostDead }
    const { buried, dropped } = await table.bury(target, limits)
    if (buried === 0) return
    log.error({ target, buried, dropped }, 'events that nobody accepted for a day were given up')
  }
}

function keyOf({ message }: EventRow): string {
  const { bucket, key } = changeOf(JSON.parse(message) as EventMessage)
  return `${bucket}/${key}`
}
