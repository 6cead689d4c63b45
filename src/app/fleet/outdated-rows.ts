import { startOf } from '../../platform/process/identity.ts'
import type { GatewayRow } from './gateway-table.ts'

/** Longer than the files of a process on another host are kept (drives/local/leftovers.ts). */
const endedKeptMs = 48 * 3_600_000
/** Within this time, a gateway has opened its drives and swept the files of dead processes of its host. */
const sweptAfterMs = 3_600_000

/** Pure: the rows of ended gateways that no process needs any more. */
export function outdatedRows(rows: readonly GatewayRow[], nowMs: number): readonly GatewayRow[] {
  const byHost = Map.groupBy(
    rows.filter(({ endedAtMs }) => endedAtMs === 0),
    ({ process }) => startOf(process)?.host,
  )
  return rows.filter((row) => {
    if (row.endedAtMs === 0) return false
    if (row.endedAtMs <= nowMs - endedKeptMs) return true
    const host = startOf(row.process)?.host
    const running = host === undefined ? [] : (byHost.get(host) ?? [])
    return running.some((other) => coversLife(other, row) || hasSwept(other, row, nowMs))
  })
}

/** Whether the processes of `ended` also started during the life of `other`: then the row of `other` is enough. */
function coversLife(other: GatewayRow, ended: GatewayRow): boolean {
  const [from, since] = [startOf(other.process)?.ticks, startOf(ended.process)?.ticks]
  return from !== undefined && since !== undefined && from < since
}

/** Whether `other` has swept the files of `ended`: it started later, on the same host, and opened its drives. */
function hasSwept(other: GatewayRow, ended: GatewayRow, nowMs: number): boolean {
  return other.startedAtMs >= ended.endedAtMs && other.startedAtMs <= nowMs - sweptAfterMs
}
