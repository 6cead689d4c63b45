import type { UsageReply } from '../../../../src/models/usage/usage-routes.ts'
import { modelsTexts } from '../../texts/models.ts'

export type UsageRow = UsageReply['rows'][number]

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** The periods to choose from, the default first. Days begin at midnight UTC, as the service counts. */
export const periods = [
  { id: '30d', label: modelsTexts.usage.days30, by: 'day', steps: 30, stepMs: dayMs },
  { id: '24h', label: modelsTexts.usage.hours24, by: 'hour', steps: 24, stepMs: hourMs },
  { id: '7d', label: modelsTexts.usage.days7, by: 'day', steps: 7, stepMs: dayMs },
  { id: '90d', label: modelsTexts.usage.days90, by: 'day', steps: 90, stepMs: dayMs },
  { id: 'year', label: modelsTexts.usage.year, by: 'day', steps: 365, stepMs: dayMs },
] as const

export type Period = (typeof periods)[number]

/** The default if none has this id. */
export function periodOf(id: string | null): Period {
  return periods.find((period) => period.id === id) ?? periods[0]
}

/** The beginnings of the hours or days of a period, the current one included. */
export function timesOf({ steps, stepMs }: Period, nowMs: number): readonly number[] {
  const last = Math.floor(nowMs / stepMs) * stepMs
  return Array.from({ length: steps }, (_, index) => last - (steps - 1 - index) * stepMs)
}

const added = [
  'requests',
  'errors',
  'fallbacks',
  'inputTokens',
  'outputTokens',
  'dollars',
  'receivedBytes',
  'sentBytes',
] as const

export type UsageSums = Readonly<Record<(typeof added)[number], number>> & {
  /** The mean; null without requests. */
  readonly firstByteMs: number | null
}

export function sumOf(rows: readonly UsageRow[]): UsageSums {
  const sums = Object.fromEntries(
    added.map((name) => [name, rows.reduce((sum, row) => sum + row[name], 0)]),
  ) as Record<(typeof added)[number], number>
  const waited = rows.reduce((sum, row) => sum + row.firstByteMs * row.requests, 0)
  return { ...sums, firstByteMs: sums.requests === 0 ? null : waited / sums.requests }
}

/** The sums of each of the times. */
export function sumsAt(rows: readonly UsageRow[], times: readonly number[]): readonly UsageSums[] {
  const byTime = Map.groupBy(rows, ({ from }) => Date.parse(from))
  return times.map((time) => sumOf(byTime.get(time) ?? []))
}

/** The fields by which a table can group rows. */
export const groupings = ['model', 'keyId', 'connectionId', 'from'] as const

export type Grouping = (typeof groupings)[number]

export interface UsageGroup {
  readonly of: string
  readonly sums: UsageSums
}

/** A sum for each value of a field: the newest time first, otherwise the most requests. */
export function groupsOf(rows: readonly UsageRow[], by: Grouping): readonly UsageGroup[] {
  const groups = [...Map.groupBy(rows, (row) => row[by])].map(([of, ones]) => {
    return { of, sums: sumOf(ones) }
  })
  if (by === 'from') return groups.toSorted((a, b) => (a.of < b.of ? 1 : -1))
  return groups.toSorted((a, b) => b.sums.requests - a.sums.requests || (a.of < b.of ? -1 : 1))
}

export type UsageFilter = Readonly<Record<Exclude<Grouping, 'from'>, string | null>>

/** The rows that a filter lets through; null: all of them. */
export function filtered(rows: readonly UsageRow[], filter: UsageFilter): readonly UsageRow[] {
  const wanted = Object.entries(filter) as [keyof UsageFilter, string | null][]
  return rows.filter((row) =>
    wanted.every(([name, value]) => value === null || row[name] === value),
  )
}
