import type { Database } from '../../platform/state/database.ts'

/** The columns of the figures that are added up. */
const columnOf = {
  /** Attempts: a call with fallbacks has several. */
  requests: 'requests',
  errors: 'errors',
  fallbacks: 'fallbacks',
  inputTokens: 'input_tokens',
  outputTokens: 'output_tokens',
  /** For the limits of keys, where the upstream reported no tokens. */
  estimatedTokens: 'estimated_tokens',
  /** Millionths of a US dollar, including estimated tokens. */
  costMicros: 'cost_micros',
  receivedBytes: 'received_bytes',
  sentBytes: 'sent_bytes',
  /** The sum of all attempts. */
  firstByteMs: 'first_byte_ms',
} as const

export type UsageSums = Readonly<Record<keyof typeof columnOf, number>>

export interface UsageKey {
  /** The beginning of an hour, or of a day in a sum over days; UTC. */
  readonly fromMs: number
  /** Empty: MODELS_API_KEY. */
  readonly keyId: string
  readonly connectionId: string
  readonly model: string
}

export type UsageRow = UsageKey & UsageSums

/** How long rows are kept: a year. */
export const usageKeptMs = 366 * 86_400_000

export const sumNames = Object.keys(columnOf) as readonly (keyof UsageSums)[]

const sumColumns = Object.values(columnOf)
const add = `INSERT INTO model_usage (hour_ms, key_id, connection_id, model, ${sumColumns.join(', ')})
  VALUES (${Array.from({ length: 4 + sumColumns.length }, () => '?').join(', ')})
  ON CONFLICT (hour_ms, key_id, connection_id, model) DO UPDATE SET
  ${sumColumns.map((one) => `${one} = model_usage.${one} + excluded.${one}`).join(', ')}`

const sums = sumNames.map((one) => `CAST(SUM(${columnOf[one]}) AS BIGINT) AS "${one}"`).join(', ')

function selectSums(from: string): string {
  return `SELECT ${from} AS "fromMs", key_id AS "keyId", connection_id AS "connectionId", model, ${sums}
    FROM model_usage WHERE hour_ms >= ? AND hour_ms < ?
    GROUP BY ${from}, key_id, connection_id, model
    ORDER BY ${from}, key_id, connection_id, model LIMIT ?`
}

const select = {
  hour: selectSums('hour_ms'),
  day: selectSums('hour_ms - hour_ms % 86400000'),
} as const

const selectOfKeys = `SELECT key_id AS "keyId",
  CAST(SUM(input_tokens + output_tokens + estimated_tokens) AS BIGINT) AS tokens,
  CAST(SUM(cost_micros) AS BIGINT) AS micros
  FROM model_usage WHERE hour_ms >= ? AND key_id <> '' GROUP BY key_id`

/** What a key has used, as its limits count. */
export interface KeyUse {
  readonly tokens: number
  /** Millionths of a US dollar. */
  readonly micros: number
}

/** The hourly usage of model calls in the database. */
export class ModelUsageTable {
  readonly #database: Pick<Database, 'read' | 'write'>

  constructor(database: Pick<Database, 'read' | 'write'>) {
    this.#database = database
  }

  /** Adds the figures to those of other processes, in one transaction. */
  async add(rows: readonly UsageRow[]): Promise<void> {
    if (rows.length === 0) return
    // Sorted, so that processes lock the same rows in the same order.
    const ordered = rows.toSorted((a, b) => (keyText(a) < keyText(b) ? -1 : 1))
    await this.#database.write(
      ordered.map((row) => {
        const { fromMs, keyId, connectionId, model } = row
        const sums = sumNames.map((one) => row[one])
        return { sql: add, params: [fromMs, keyId, connectionId, model, ...sums] }
      }),
    )
  }

  /** @param range times from `fromMs` to before `toMs`, milliseconds since the epoch */
  read(
    by: keyof typeof select,
    range: { readonly fromMs: number; readonly toMs: number; readonly limit: number },
  ): Promise<UsageRow[]> {
    return this.#database.read(select[by], [range.fromMs, range.toMs, range.limit])
  }

  /** What each key has used since a time. */
  async keysSince(fromMs: number): Promise<ReadonlyMap<string, KeyUse>> {
    const rows = await this.#database.read<KeyUse & { keyId: string }>(selectOfKeys, [fromMs])
    return new Map(rows.map(({ keyId, ...use }) => [keyId, use]))
  }

  /** Removes older rows. */
  async sweep(beforeMs: number): Promise<void> {
    await this.#database.write([
      { sql: 'DELETE FROM model_usage WHERE hour_ms < ?', params: [beforeMs] },
    ])
  }
}

function keyText({ fromMs, keyId, connectionId, model }: UsageKey): string {
  return JSON.stringify([fromMs, keyId, connectionId, model])
}
