import type { StatusReply } from '../../../../src/dashboard/management/management-schemas.ts'
import { driveRoom } from '../drive/drive-room.ts'
import { failedText, type TrafficSums } from '../traffic/traffic-series.ts'

export interface Health {
  readonly level: 'good' | 'watch' | 'bad'
  readonly title: string
  /** What is wrong. */
  readonly reasons: readonly string[]
}

/** Whether the service works, and what needs attention. */
export function healthOf(
  { drives }: Pick<StatusReply, 'drives'>,
  lastHour: Pick<TrafficSums, 'failed'> | undefined,
): Health {
  const nameOf = (name: string) => (drives.length > 1 ? `The drive ${name}` : 'The drive')
  const away = drives.filter(({ problem }) => problem !== null)
  const tight = drives.filter(({ problem, ...drive }) => {
    return problem === null && (driveRoom(drive)?.level ?? 'roomy') !== 'roomy'
  })
  const failed = failedText(lastHour?.failed ?? 0)
  const reasons = [
    ...away.map(({ name }) => `${nameOf(name)} is not available`),
    ...tight.map(({ name }) => `${nameOf(name)} is getting full`),
    ...(failed === undefined ? [] : [failed]),
  ]
  if (away.length > 0) return { level: 'bad', title: 'Something does not work', reasons }
  if (reasons.length > 0) return { level: 'watch', title: 'Works, but needs attention', reasons }
  return { level: 'good', title: 'Everything works', reasons }
}
