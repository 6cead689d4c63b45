import { startOf } from '../../process/identity.ts'
import type { GatewayRow } from '../../state/stores/gateways.ts'

/** Longer than the files of a process on another host are kept (drives/local/leftovers.ts). */
const endedKeptMs = 48 * 3_600_000
/** A gateway has opened its drives by then, and removed what others on its host have left. */
const sweptAfterMs = 3_600_000

/** Pure: gateways that have ended and whose rows no process needs to know that. */
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

/** Whether all processes of `ended` also started during the life of `other`, which will say the same when it ends. */
function coversLife(other: GatewayRow, ended: GatewayRow): boolean {
  const [from, since] = [startOf(other.process)?.ticks, startOf(ended.process)?.ticks]
  return from !== undefined && since !== undefined && from < since
}

/** On its own host, a gateway that opens a drive finds the files of processes that have died. */
function hasSwept(other: GatewayRow, ended: GatewayRow, nowMs: number): boolean {
  return other.startedAtMs >= ended.endedAtMs && other.startedAtMs <= nowMs - sweptAfterMs
}
