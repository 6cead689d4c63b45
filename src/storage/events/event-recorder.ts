import { randomUUID } from 'node:crypto'
import { type EventName, type NotificationRule, rulesFor } from '../buckets/notification-rules.ts'
import { DriveError, type DriveErrorKind } from '../drives/drive-error.ts'
import { LeaseQueue } from '../drives/kit/lease-queue.ts'
import { currentEventContext, type EventContext } from './event-context.ts'
import { eventMessage, type ObjectChange, type Outcome, sequencers } from './event-message.ts'
import type { EventRow, EventTable } from './event-table.ts'

/** The maximum number of waiting events, for all targets together. Further events are dropped. */
const defaultMaxWaiting = 100_000

/** How often the table is counted. Other processes may exceed the maximum in the meantime. */
const countEveryMs = 1_000

/** The maximum time that a change waits for others of its key. Afterwards, events may be out of order. */
const turnMs = 5_000

/** An intent older than this is checked: the process of its change may be dead. */
const firstLookMs = 10_000

/** After these errors the drive is unchanged. After others, the change may still happen. */
const withoutEffect: ReadonlySet<DriveErrorKind> = new Set([
  ...(['condition', 'not-found', 'changed', 'upload-gone', 'no-bucket', 'denied'] as const),
  ...(['invalid-key', 'key-too-long', 'locked'] as const),
])

/** The parts of an event that come from the configuration, and the rules. */
interface EventSource {
  readonly region: (bucket: string) => string
  readonly ownerId: string
  readonly rules: (bucket: string) => readonly NotificationRule[]
}

export interface RecorderParts extends EventSource {
  readonly table: Pick<EventTable, 'intend' | 'confirm' | 'cancel' | 'countWaiting'>
  /** The database's time, milliseconds since the epoch. */
  readonly now: () => number
  /** Called after new events are stored. */
  readonly onEvents: () => void
  /** Called with each change: whether its events are dropped because too many are waiting. */
  readonly onFull: (isFull: boolean) => void
  /** Default: 100,000. */
  readonly maxWaiting?: number
}

/**
 * Stores the events of changes: as intents before the change, and confirmed before the caller learns that the change
 * has happened (docs/decisions/0038-events-around-a-change.md).
 */
export class EventRecorder {
  readonly #parts: RecorderParts
  readonly #nextSequencer: () => string
  /** The changes of a key in this process follow one another, so that their sequencers have the order of the changes. */
  readonly #queue = new LeaseQueue()
  #counted = { atMs: Number.NEGATIVE_INFINITY, isFull: false }

  constructor(parts: RecorderParts) {
    this.#parts = parts
    this.#nextSequencer = sequencers(parts.now)
  }

  /**
   * Runs a change and stores its events.
   *
   * @param planned the change that is about to happen, with its event, unless the context names another
   * @param outcome of the result, or undefined if nothing has changed
   * @throws what `change` throws; DatabaseError, if the change was not begun or its result is not stored
   */
  async record<Result>(
    planned: ObjectChange,
    change: () => Promise<Result>,
    outcome: (result: Result) => Outcome | undefined,
  ): Promise<Result> {
    const { bucket, key } = planned
    const context = currentEventContext()
    const event = eventOf(planned.event, context)
    const rules = rulesFor(this.#parts.rules(bucket), key, event)
    if (rules.length === 0 || (await this.#isFull())) return await change()
    const events = new ChangeEvents({ ...planned, event }, rules, context, this.#parts)
    const turn = [`${bucket}/${key}`]
    const isItsTurn = await this.#takeTurn(turn)
    try {
      return await this.#around(events, change, outcome)
    } finally {
      if (isItsTurn) this.#queue.leave(turn)
    }
  }

  /** Whether any change in the bucket has events. */
  watches(bucket: string): boolean {
    return this.#parts.rules(bucket).length > 0
  }

  async #takeTurn(turn: readonly string[]): Promise<boolean> {
    const end = new AbortController()
    const timer = setTimeout(() => end.abort(), turnMs)
    const entered = this.#queue.enter(turn, end.signal)
    const isItsTurn = await entered.then(() => true).catch(() => false)
    clearTimeout(timer)
    return isItsTurn
  }

  async #around<Result>(
    events: ChangeEvents,
    change: () => Promise<Result>,
    outcome: (result: Result) => Outcome | undefined,
  ): Promise<Result> {
    const { table, onEvents } = this.#parts
    await table.intend(events.rows(this.#nextSequencer(), firstLookMs))
    let result: Result
    try {
      result = await change()
    } catch (error) {
      const isUnchanged = error instanceof DriveError && withoutEffect.has(error.kind)
      // Otherwise the recovery looks at the object.
      if (isUnchanged) await table.cancel(events.ids).catch(() => undefined)
      throw error
    }
    const known = outcome(result)
    if (known === undefined) await table.cancel(events.ids).catch(() => undefined)
    else {
      await table.confirm(events.rows(this.#nextSequencer(), 0, known))
      onEvents()
    }
    return result
  }

  async #isFull(): Promise<boolean> {
    const nowMs = performance.now()
    if (nowMs - this.#counted.atMs > countEveryMs) {
      const { isFull } = this.#counted
      this.#counted = { atMs: nowMs, isFull }
      const { table, maxWaiting = defaultMaxWaiting } = this.#parts
      const waiting = await table.countWaiting(maxWaiting)
      this.#counted = { atMs: nowMs, isFull: waiting >= maxWaiting }
    }
    const { isFull } = this.#counted
    this.#parts.onFull(isFull)
    return isFull
  }
}

function eventOf(planned: EventName, context: EventContext | undefined): EventName {
  if (planned === 'ObjectRemoved:Delete' || planned === 'ObjectRemoved:DeleteMarkerCreated') {
    const removal = planned === 'ObjectRemoved:Delete' ? 'Delete' : 'DeleteMarkerCreated'
    return context?.isExpiry ? `LifecycleExpiration:${removal}` : planned
  }
  return context?.created ?? planned
}

/** The events of one change: one for each rule's target. */
class ChangeEvents {
  readonly ids: readonly { readonly id: string; readonly target: string }[]
  readonly #change: ObjectChange
  readonly #rules: readonly NotificationRule[]
  readonly #context: EventContext
  readonly #parts: RecorderParts
  readonly #id = randomUUID()

  constructor(
    change: ObjectChange,
    rules: readonly NotificationRule[],
    context: EventContext | undefined,
    parts: RecorderParts,
  ) {
    this.#change = change
    this.#parts = parts
    const known = context ?? { principalId: parts.ownerId, sourceIp: '', requestId: '' }
    // Receivers use the request ID to detect repeated events.
    this.#context = { ...known, requestId: known.requestId || this.#id }
    // Two rules for one target do not overlap, unless they are of the settings.
    this.#rules = [...new Map(rules.map((rule) => [rule.target, rule])).values()]
    this.ids = this.#rules.map(({ target }) => ({ id: this.#id, target }))
  }

  /** @param known fields that were not known before */
  rows(sequencer: string, dueInMs: number, known: Outcome = {}): EventRow[] {
    const { now, region, ownerId } = this.#parts
    const atMs = now()
    const change = { ...this.#change, ...known }
    return this.#rules.map(({ id: ruleId, target }) => {
      const facts = { context: this.#context, ownerId, ruleId, atMs, sequencer }
      const message = eventMessage(change, { ...facts, region: region(change.bucket) })
      return {
        ...{ id: this.#id, target, sequencer, message: JSON.stringify(message) },
        ...{ madeAtMs: atMs, attempts: 0, dueAtMs: atMs + dueInMs },
      }
    })
  }
}
