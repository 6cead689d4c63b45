import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { UsageReply } from '../../../../src/models/usage/usage-routes.ts'
import { request } from '../../api/client.ts'
import { type Period, timesOf, type UsageRow } from './usage-sums.ts'

const refreshMs = 30_000
/** Maximum pages, of 10,000 rows each. */
const maxPages = 10

interface Usage {
  readonly by: Period['by']
  readonly times: readonly number[]
  readonly rows: readonly UsageRow[]
  /** Whether the newest rows are missing. */
  readonly isCut: boolean
}

export function useUsage(period: Period) {
  return useQuery({
    queryKey: ['usage', period.id],
    queryFn: ({ signal }) => readUsage(period, signal),
    refetchInterval: refreshMs,
    // The plots stay until those of another period are loaded, so that the page does not jump.
    placeholderData: keepPreviousData,
  })
}

async function readUsage(period: Period, signal: AbortSignal): Promise<Usage> {
  const { by } = period
  const times = timesOf(period, Date.now())
  const rows: UsageRow[] = []
  let from = new Date(times[0] ?? 0).toISOString()
  for (let page = 0; page < maxPages; page += 1) {
    const query = { from, by }
    const reply = await request<UsageReply>('/-/api/usage', { query, signal })
    const last = reply.rows.at(-1)?.from
    if (!reply.isCut || last === undefined) {
      return { by, times, rows: [...rows, ...reply.rows], isCut: false }
    }
    // The last hour or day may be incomplete, and is read again.
    const complete = reply.rows.filter((row) => row.from !== last)
    if (complete.length === 0) break
    rows.push(...complete)
    from = last
  }
  return { by, times, rows, isCut: true }
}
