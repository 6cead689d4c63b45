import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  livenessOf,
  type ProcessName,
  thisProcess,
  ticksNow,
} from '../../platform/process/identity.ts'
import { type Repetition, repeat } from '../../platform/process/repeat.ts'
import { SettingsError } from '../../platform/process/setting-mistake.ts'
import { withinTime } from '../../platform/process/time-limit.ts'
import type { CallOptions } from '../../platform/state/database.ts'
import type { Log } from '../telemetry/log.ts'
import { conflictWith, factsText, type OwnFacts, parseGatewayFacts } from './gateway-facts.ts'
import { type GatewayRow, type GatewayTable, outdatedRows } from './gateway-table.ts'
import type { KnownGateways } from './known-gateways.ts'
import type { SharedProbe } from './shared-probe.ts'

/** Checks without a new heartbeat after which another gateway counts as ended: 8 to 10 s at one heartbeat every 2 s. */
const silentLooks = 4
/** How many heartbeats long a start waits for one of a gateway with other settings: as many as running gateways do. */
const watchedBeats = silentLooks
/** How often it looks meanwhile, per beat. */
const looksPerBeat = 4
const msPerTick = 10
/**
 * For all calls of a heartbeat, which also delays the next one. A call gets another connection if its own is half
 * open, or if requests have all connections.
 */
const urgent = { urgentMs: 3_000 }
/** How long a gateway that ends waits for the database. */
const endLimitMs = 5_000
/** How many old rows are removed at a time. */
const mostRemoved = 100
/** How many of its processes that have died a gateway names. The locks of earlier ones are found silent. */
const mostDied = 32

export interface GatewayRegisterOptions {
  readonly table: Pick<
    GatewayTable,
    'add' | 'all' | 'beat' | 'end' | 'endOwn' | 'remove' | 'removeEnded' | 'setFacts'
  >
  readonly known: Pick<KnownGateways, 'set'>
  /** Absent: gateways do not test their drives together. */
  readonly probe?: Pick<SharedProbe, 'close' | 'look'> | undefined
  /** Read at every beat: drives are also opened later. */
  readonly own: () => OwnFacts
  /** The database's time. */
  readonly now: () => number
  /** Interval between heartbeats. */
  readonly beatMs: number
  readonly log: Pick<Log, 'info' | 'warn'>
  /** Called once, with a text for people, when a gateway with other settings was there first. */
  readonly onConflict: (message: string) => void
  /** Called when other gateways have ended and this one is to remove what they left. */
  readonly onEnded: () => void
}

/**
 * Registers this gateway in the database for as long as it runs, and watches the others: whether they have the same
 * keys and drives, and which of them have ended. The clocks of machines are not compared.
 */
export class GatewayRegister {
  readonly #options: GatewayRegisterOptions
  /** The last heartbeat of each other gateway, and how many checks followed it. */
  readonly #seen = new Map<string, { readonly beat: number; readonly looks: number }>()
  /** Gateways whose leftovers were removed. */
  #cleared: ReadonlySet<string> = new Set()
  #id = ''
  /** What its row shows. */
  #shown: { readonly own: OwnFacts; readonly text: string } | undefined
  #died: readonly ProcessName[] = []
  /** The last change of its row: the next one follows it. */
  #lastTurn: Promise<void> = Promise.resolve()
  #isFirst = false
  /** When the last check of the other gateways began. */
  #lookedAtMs = Number.NEGATIVE_INFINITY
  #isFailing = false
  #beating: Repetition | undefined

  constructor(options: GatewayRegisterOptions) {
    this.#options = options
  }

  /**
   * Whether this gateway sweeps for all: the one that has run for the longest time does. False while its heartbeats
   * fail, because the others may then consider it ended.
   */
  get isFirst(): boolean {
    const ageMs = performance.now() - this.#lookedAtMs
    return this.#isFirst && !this.#isFailing && ageMs < silentLooks * this.#options.beatMs
  }

  /**
   * Before anything is done with the keys or the drives. `begin` follows.
   *
   * @throws SettingsError when a gateway that runs has other keys; DatabaseError.
   */
  async start(): Promise<void> {
    await this.#requireAgreement()
    const own = this.#options.own()
    await this.#inTurn(() => this.#enter(own))
  }

  /**
   * Sends the first heartbeat.
   *
   * @throws SettingsError when a gateway that was there first has other keys or drives; DatabaseError.
   */
  async begin(): Promise<void> {
    const { beatMs } = this.#options
    const conflict = await this.#beat()
    if (conflict !== undefined) throw new SettingsError([conflict])
    this.#beating = repeat((signal) => this.#beatAgain(signal), {
      everyMs: beatMs,
      onError: (error) => this.#reportFailure(error),
    })
  }

  /**
   * Tells the other gateways at once that this process of the gateway has died: they take over its locks and leases. If
   * the database does not answer, the heartbeats repeat it.
   */
  processDied(name: ProcessName): void {
    this.#died = [...this.#died, name].slice(-mostDied)
    void this.#show().catch(() => undefined)
  }

  /** Never rejects. */
  async close(): Promise<void> {
    await this.#stop()
    await this.#lastTurn
    await this.#end()
  }

  /** Removes the row: the gateway failed to start after `start`. Never rejects. */
  async withdraw(): Promise<void> {
    await this.#stop()
    await lastWrite(this.#options.table.remove(this.#id))
  }

  /** Waits for heartbeats of a gateway with other settings. Without one, it was killed or is suspended. */
  async #requireAgreement(): Promise<void> {
    const { table, beatMs, now, log } = this.#options
    const first = this.#conflictIn(await table.all())
    if (first === undefined) return
    log.warn({ gateway: first.row.id }, `${first.message}: checking whether that gateway runs`)
    const beats = new Map((await table.all()).map(({ id, beat }) => [id, beat]))
    const startedAt = performance.now()
    while (performance.now() - startedAt < watchedBeats * beatMs) {
      await sleep(beatMs / looksPerBeat)
      const isAlive = (row: GatewayRow) => row.beat !== beats.get(row.id)
      const alive = this.#conflictIn((await table.all()).filter(isAlive))
      if (alive !== undefined) throw new SettingsError([alive.message])
    }
    for (const row of await table.all()) {
      if (beats.get(row.id) === row.beat && this.#conflictIn([row]) !== undefined) {
        await table.end(row.id, row.beat, now())
      }
    }
  }

  #conflictIn(rows: readonly GatewayRow[]): { row: GatewayRow; message: string } | undefined {
    const own = this.#options.own()
    for (const row of rows) {
      if (row.endedAtMs !== 0 || livenessOf(row.process) === 'dead') continue
      const other = parseGatewayFacts(row.json)
      const message = other && conflictWith(own, other)
      if (message !== undefined) return { row, message }
    }
    return undefined
  }

  /** @param own the facts that were checked against the other gateways */
  async #enter(own: OwnFacts, options?: CallOptions): Promise<void> {
    const { table, now } = this.#options
    const rows = await table.all(options)
    this.#id = randomUUID()
    const text = shownText(own, this.#died)
    const json = factsText(own, this.#died)
    const row = { id: this.#id, process: thisProcess, beatTicks: this.#ticks(), json }
    await table.add({ ...row, startedAtMs: startAfter(rows, now()) }, options)
    this.#shown = { own, text }
  }

  /** Until when processes of this gateway may have started if this is its last heartbeat. */
  #ticks(): number {
    const now = ticksNow()
    return now === 0 ? 0 : now + Math.ceil((2 * this.#options.beatMs) / msPerTick)
  }

  async #stop(): Promise<void> {
    await this.#beating?.stop()
    await this.#options.probe?.close()
  }

  async #end(): Promise<void> {
    const { table, now } = this.#options
    await lastWrite(table.endOwn(this.#id, now()))
  }

  /**
   * Tells the other gateways what has changed: which drives this one has opened, and which of its processes have died.
   *
   * @param changed default: the facts that its row shows already
   */
  #show(changed?: OwnFacts): Promise<void> {
    return this.#inTurn(async () => {
      const own = changed ?? this.#shown?.own
      if (own === undefined) return
      const text = shownText(own, this.#died)
      if (this.#shown?.text === text) return
      await this.#options.table.setFacts(this.#id, factsText(own, this.#died), urgent)
      this.#shown = { own, text }
    })
  }

  #inTurn(change: () => Promise<void>): Promise<void> {
    const turn = this.#lastTurn.then(change)
    this.#lastTurn = turn.catch(() => undefined)
    return turn
  }

  async #beatAgain(signal: AbortSignal): Promise<void> {
    const { onConflict, log } = this.#options
    const conflict = await this.#beat()
    if (conflict !== undefined && !signal.aborted) {
      void this.#beating?.stop()
      onConflict(conflict)
    }
    if (this.#isFailing) log.info('this gateway is registered again')
    this.#isFailing = false
  }

  /** Returns why this gateway must end, for people. In this case its row is already marked as ended. */
  async #beat(): Promise<string | undefined> {
    const { table, known, now, log, probe } = this.#options
    // It was suspended, or could not reach the database, for too long.
    if (!(await twice(() => table.beat(this.#id, this.#ticks(), urgent)))) {
      log.warn('another gateway marked this one as ended: registering again')
      await this.#inTurn(async () => {
        if (this.#shown !== undefined) await this.#enter(this.#shown.own, urgent)
      })
    }
    const askedAtMs = performance.now()
    const rows = await this.#endSilent(await twice(() => table.all(urgent)))
    const earlier = earlierThan(this.#id, rows)
    const conflict = this.#conflictIn(earlier)
    if (conflict !== undefined) {
      await this.#end()
      return conflict.message
    }
    // Only now, without a conflict: later gateways compare their drives with this row, and end if they differ.
    await this.#show(this.#options.own())
    known.set(rows, askedAtMs)
    this.#lookedAtMs = askedAtMs
    this.#isFirst = earlier.every(({ endedAtMs }) => endedAtMs !== 0)
    this.#clear(rows)
    probe?.look(this.#id, rows)
    const outdated = this.#isFirst ? outdatedRows(rows, now()).slice(0, mostRemoved) : []
    const ids = outdated.map((row) => row.id)
    if (ids.length > 0) await table.removeEnded(ids, urgent)
    return undefined
  }

  /** Marks gateways without heartbeats as ended. Returns the rows as they are now. */
  async #endSilent(rows: readonly GatewayRow[]): Promise<readonly GatewayRow[]> {
    const { table, now, log } = this.#options
    let hasChanged = false
    for (const { id, process, beat, endedAtMs, json } of rows) {
      if (endedAtMs !== 0 || id === this.#id) continue
      const seen = this.#seen.get(id)
      const looks = seen?.beat === beat ? seen.looks + 1 : 0
      this.#seen.set(id, { beat, looks })
      if (looks < silentLooks && livenessOf(process) !== 'dead') continue
      if (!(await table.end(id, beat, now(), urgent))) continue
      hasChanged = true
      log.warn({ gateway: parseGatewayFacts(json)?.host ?? id }, 'another gateway has ended')
    }
    return hasChanged ? await table.all(urgent) : rows
  }

  #clear(rows: readonly GatewayRow[]): void {
    const ended = rows.flatMap(({ id, endedAtMs }) => (endedAtMs === 0 ? [] : [id]))
    const running = new Set(rows.flatMap(({ id, endedAtMs }) => (endedAtMs === 0 ? [id] : [])))
    // A gateway that could not start has removed its row.
    for (const id of this.#seen.keys()) if (!running.has(id)) this.#seen.delete(id)
    if (!this.#isFirst || ended.every((id) => this.#cleared.has(id))) return
    this.#cleared = new Set(ended)
    this.#options.onEnded()
  }

  #reportFailure(error: unknown): void {
    if (!this.#isFailing) this.#options.log.warn({ err: error }, 'could not register this gateway')
    this.#isFailing = true
  }
}

/** Never rejects: if this can't be written, the others notice the end when the heartbeats stop. */
async function lastWrite(writing: Promise<unknown>): Promise<void> {
  await withinTime(writing, endLimitMs).catch(() => undefined)
}

async function twice<Result>(ask: () => Promise<Result>): Promise<Result> {
  try {
    return await ask()
  } catch {
    return await ask()
  }
}

/** The part of the facts that changes. */
function shownText({ facts }: OwnFacts, died: readonly ProcessName[]): string {
  return JSON.stringify([facts.drives, died])
}

/** A gateway that starts is the last one, also when the clock was set back: one that came earlier would have to end. */
function startAfter(rows: readonly GatewayRow[], nowMs: number): number {
  const running = rows.filter(({ endedAtMs }) => endedAtMs === 0)
  return Math.max(nowMs, ...running.map(({ startedAtMs }) => startedAtMs + 1))
}

/** Those that were registered before this one. */
function earlierThan(id: string, rows: readonly GatewayRow[]): readonly GatewayRow[] {
  const index = rows.findIndex((row) => row.id === id)
  return index === -1 ? rows : rows.slice(0, index)
}
