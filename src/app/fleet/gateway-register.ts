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
/** How many beats a start waits for a heartbeat of a gateway with other settings: as long as running gateways wait. */
const watchedBeats = silentLooks
/** Checks per beat during that time. */
const looksPerBeat = 4
const msPerTick = 10
/**
 * Time limit for all database calls of one heartbeat; a slow heartbeat delays the next one. A call gets another
 * connection if its own is half open, or if requests use all connections.
 */
const urgent = { urgentMs: 3_000 }
/** How long a stopping gateway waits for the database. */
const endLimitMs = 5_000
/** Maximum number of old rows to remove at a time. */
const mostRemoved = 100
/** Maximum number of dead processes in a gateway's facts. Locks of earlier ones are released when they fall silent. */
const mostDied = 32

export interface GatewayRegisterOptions {
  readonly table: Pick<
    GatewayTable,
    'add' | 'all' | 'beat' | 'end' | 'endOwn' | 'remove' | 'removeEnded' | 'setFacts'
  >
  readonly known: Pick<KnownGateways, 'set'>
  /** If absent, gateways do not test their drives together. */
  readonly probe?: Pick<SharedProbe, 'close' | 'look'> | undefined
  /** Read at every beat, because drives may also be opened after the start. */
  readonly own: () => OwnFacts
  /** The database's time. */
  readonly now: () => number
  /** Interval between heartbeats. */
  readonly beatMs: number
  readonly log: Pick<Log, 'info' | 'warn'>
  /** Called once, with a user-facing text, when a gateway with other settings registered first. */
  readonly onConflict: (message: string) => void
  /** Called when other gateways have ended and this one must clean up after them. */
  readonly onEnded: () => void
}

/**
 * Registers this gateway in the database for as long as it runs, and watches the others: whether they have the same
 * keys and drives, and which of them have ended. The clocks of machines are not compared.
 */
export class GatewayRegister {
  readonly #options: GatewayRegisterOptions
  /** The last heartbeat of every other gateway, and the number of checks since. */
  readonly #seen = new Map<string, { readonly beat: number; readonly looks: number }>()
  /** Ended gateways that this one has cleaned up after. */
  #cleared: ReadonlySet<string> = new Set()
  #id = ''
  /** The facts in this gateway's row. */
  #shown: { readonly own: OwnFacts; readonly text: string } | undefined
  #died: readonly ProcessName[] = []
  /** The last change of this gateway's row. The next change waits for it. */
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
   * Whether this gateway sweeps for all gateways: the one that has run longest does. False while its heartbeats
   * fail, because the others may then consider it ended.
   */
  get isFirst(): boolean {
    const ageMs = performance.now() - this.#lookedAtMs
    return this.#isFirst && !this.#isFailing && ageMs < silentLooks * this.#options.beatMs
  }

  /**
   * Registers this gateway, before it uses the keys or the drives. Call `begin` afterwards.
   *
   * @throws SettingsError when a running gateway has other keys; DatabaseError.
   */
  async start(): Promise<void> {
    await this.#requireAgreement()
    const own = this.#options.own()
    await this.#inTurn(() => this.#enter(own))
  }

  /**
   * Sends the first heartbeat.
   *
   * @throws SettingsError when a gateway that registered first has other keys or drives; DatabaseError.
   */
  async begin(): Promise<void> {
    const { beatMs } = this.#options
    const conflict = await this.#beat()
    if (conflict !== undefined) throw new SettingsError([conflict])
    this.#beating = repeat((signal) => this.#beatAgain(signal), {
      ...{ everyMs: beatMs, waitsFirst: true },
      onError: (error) => this.#reportFailure(error),
    })
  }

  /**
   * Tells the other gateways at once that a process of this gateway has died, so that they take over its locks and
   * leases. If the database does not respond, the heartbeats repeat the message.
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

  /** Removes the row, for a gateway that failed to start after `start`. Never rejects. */
  async withdraw(): Promise<void> {
    await this.#stop()
    await lastWrite(this.#options.table.remove(this.#id))
  }

  /** Waits for heartbeats of a gateway with other settings. If none comes, it was killed or is suspended. */
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

  /** The latest time at which processes of this gateway may have started if this is its last heartbeat. */
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
   * Updates the facts in the row: which drives this gateway has opened, and which of its processes have died.
   *
   * @param changed default: the facts that are already in the row
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

  /** Returns why this gateway must end, as a user-facing message. Its row is then already marked as ended. */
  async #beat(): Promise<string | undefined> {
    const { table, known, now, log, probe } = this.#options
    // This gateway was suspended, or could not reach the database, for too long.
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
    // Only when there is no conflict: later gateways compare their drives with this row, and end if they differ.
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

  /** Marks gateways without heartbeats as ended. Returns the current rows. */
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
    // A gateway that failed to start has removed its row.
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

/** Never rejects: if the write fails, the other gateways notice the end when the heartbeats stop. */
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

/** A new gateway comes last even if the clock was set back: otherwise an earlier one would have to end. */
function startAfter(rows: readonly GatewayRow[], nowMs: number): number {
  const running = rows.filter(({ endedAtMs }) => endedAtMs === 0)
  return Math.max(nowMs, ...running.map(({ startedAtMs }) => startedAtMs + 1))
}

/** The gateways that registered before this one. */
function earlierThan(id: string, rows: readonly GatewayRow[]): readonly GatewayRow[] {
  const index = rows.findIndex((row) => row.id === id)
  return index === -1 ? rows : rows.slice(0, index)
}
