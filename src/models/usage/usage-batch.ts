import { LaterWrites } from '../../platform/process/later-writes.ts'
import type { Log } from '../../platform/process/log.ts'
import type { CallEntry } from '../calls/call-record.ts'
import { monthMs } from '../calls/key-limits.ts'
import {
  type KeyUse,
  type ModelUsageTable,
  sumNames,
  type UsageKey,
  type UsageRow,
  type UsageSums,
} from './usage-table.ts'

interface UsageBatchParts {
  readonly table: Pick<ModelUsageTable, 'add' | 'keysSince'>
  /** Wall clock, milliseconds since the epoch. */
  readonly now: () => number
  /** Monotonic, milliseconds. Default: the clock of the process. */
  readonly elapsed?: () => number
  readonly log: Pick<Log, 'warn'>
  /** For tests. Default: 10 s. */
  readonly flushMs?: number
}

type Row = UsageKey & { -readonly [Name in keyof UsageSums]: number }

const hourMs = 3_600_000
const defaultFlushMs = 10_000
/** The maximum number of rows that are kept while the database does not answer. */
const maxRows = 20_000
/** How long the monthly totals are reused before they are read again, because other processes add to them. */
const askAgainMs = 30_000

/** Adds up the usage of calls and writes it to the database every ten seconds, off the path of calls. */
export class UsageBatch {
  readonly #parts: UsageBatchParts
  #rows = new Map<string, Row>()
  #writing = new Map<string, Row>()
  readonly #writes: LaterWrites
  #month: { fromMs: number; atMs: number; keys: ReadonlyMap<string, KeyUse> } | undefined
  #asking: Promise<void> | undefined

  constructor(parts: UsageBatchParts) {
    this.#parts = parts
    this.#writes = new LaterWrites({
      write: () => this.#write(),
      delayMs: parts.flushMs ?? defaultFlushMs,
      onFailure: (err) => parts.log.warn({ err }, 'could not store model usage; will retry'),
    })
  }

  readonly note = (entry: CallEntry): void => {
    const fromMs = Math.floor(this.#parts.now() / hourMs) * hourMs
    const { keyId, connectionId } = entry
    // An upstream may list ids with NUL, which PostgreSQL cannot store.
    const model = entry.model.replaceAll('\0', '\ufffd')
    addTo(this.#rows, { fromMs, keyId, connectionId, model, ...sumsOf(entry) })
    this.#writes.schedule()
  }

  /** What a key has used in this month, including estimates. @throws DatabaseError */
  readonly usedOfMonth = async (keyId: string): Promise<KeyUse> => {
    const fromMs = monthMs(this.#parts.now())
    while (!this.#isMonthKnown(fromMs)) {
      this.#asking ??= this.#askMonth(fromMs).finally(() => {
        this.#asking = undefined
      })
      await this.#asking
    }
    let { tokens, micros } = this.#month?.keys.get(keyId) ?? { tokens: 0, micros: 0 }
    for (const row of [...this.#rows.values(), ...this.#writing.values()]) {
      if (row.keyId !== keyId || row.fromMs < fromMs) continue
      tokens += row.inputTokens + row.outputTokens + row.estimatedTokens
      micros += row.costMicros
    }
    return { tokens, micros }
  }

  /** As LaterWrites.flush. */
  flush(): Promise<void> {
    return this.#writes.flush()
  }

  #isMonthKnown(fromMs: number): boolean {
    const known = this.#month
    return known?.fromMs === fromMs && this.#elapsed() - known.atMs <= askAgainMs
  }

  /** Reads between writes: during a write, rows would count twice or not at all. */
  #askMonth(fromMs: number): Promise<void> {
    return this.#writes.between(async () => {
      const keys = await this.#parts.table.keysSince(fromMs)
      this.#month = { fromMs, atMs: this.#elapsed(), keys }
    })
  }

  #elapsed(): number {
    return this.#parts.elapsed?.() ?? performance.now()
  }

  async #write(): Promise<void> {
    if (this.#rows.size === 0) return
    this.#writing = this.#rows
    this.#rows = new Map()
    try {
      await this.#parts.table.add([...this.#writing.values()])
      // The written rows are known only after another read.
      if (this.#month !== undefined) this.#month.atMs = Number.NEGATIVE_INFINITY
    } catch (error) {
      for (const row of this.#writing.values()) addTo(this.#rows, row)
      throw error
    } finally {
      this.#writing = new Map()
    }
  }
}

function sumsOf(entry: CallEntry): UsageSums {
  const { tokens, failed, isFallback } = entry
  return {
    ...{ requests: 1, errors: failed === undefined ? 0 : 1, fallbacks: isFallback ? 1 : 0 },
    ...{ inputTokens: tokens?.input ?? 0, outputTokens: tokens?.output ?? 0 },
    ...{ estimatedTokens: entry.estimatedTokens, costMicros: entry.costMicros },
    ...{ receivedBytes: entry.receivedBytes, sentBytes: entry.sentBytes },
    firstByteMs: Math.round(entry.firstByteMs),
  }
}

function addTo(rows: Map<string, Row>, row: UsageRow): void {
  const key = JSON.stringify([row.fromMs, row.keyId, row.connectionId, row.model])
  const known = rows.get(key)
  if (known !== undefined) for (const name of sumNames) known[name] += row[name]
  else if (rows.size < maxRows) rows.set(key, { ...row })
}
