import type {
  BucketStatus,
  StatusReply,
} from '../../../../src/dashboard/management/management-schemas.ts'
import { shownMessage } from '../../api/shown-message.ts'
import { overviewTexts } from '../../texts/overview.ts'
import { driveRoom } from '../drive/drive-room.ts'
import { failedText, type TrafficSums } from '../traffic/traffic-series.ts'

export interface Health {
  readonly level: 'good' | 'watch' | 'bad'
  readonly title: string
  readonly reasons: readonly Reason[]
}

/** Something that is wrong, and the page that shows it. */
interface Reason {
  readonly text: string
  readonly href?: string
}

/** The share of a quota from which uploads may soon be refused. */
const tightPercent = 85

/** Whether the service works, and what needs attention. */
export function healthOf(
  { drives }: Pick<StatusReply, 'drives'>,
  lastHour: Pick<TrafficSums, 'failed'>,
  buckets: readonly Pick<
    BucketStatus,
    'name' | 'bytes' | 'formerVersions' | 'quotaBytes' | 'lastExpiry'
  >[],
): Health {
  const away = drives.flatMap(({ name, problem }) => (problem === null ? [] : [{ name, problem }]))
  const nameOf = (name: string) =>
    drives.length > 1 ? overviewTexts.driveNamed(name) : overviewTexts.drive
  const failed = failedText(lastHour.failed)
  const reasons: readonly Reason[] = [
    ...away.map(({ name, problem }) => ({
      text: overviewTexts.notAvailable(nameOf(name), shownMessage(problem)),
    })),
    ...drives.flatMap(({ name, problem, ...drive }) => {
      const room = problem === null ? driveRoom(drive) : undefined
      if (room === undefined || room.level === 'roomy') return []
      return [{ text: overviewTexts.percentFull(nameOf(name), Math.floor(room.usedPercent)) }]
    }),
    ...buckets.flatMap(({ name, bytes, formerVersions, quotaBytes, lastExpiry }) => {
      const href = `/buckets/${name}/settings`
      const used = (bytes ?? 0) + (formerVersions?.bytes ?? 0)
      const percent = quotaBytes ? Math.floor((used / quotaBytes) * 100) : 0
      const problem = lastExpiry?.problem ?? null
      return [
        ...(percent < tightPercent ? [] : [{ text: overviewTexts.quotaUsed(name, percent), href }]),
        ...(problem === null
          ? []
          : [{ text: overviewTexts.lifecycle(name, shownMessage(problem)), href }]),
      ]
    }),
    ...(failed === undefined ? [] : [{ text: failed, href: '/activity?what=failures' }]),
  ]
  if (away.length > 0) return { level: 'bad', title: overviewTexts.broken, reasons }
  if (reasons.length > 0) return { level: 'watch', title: overviewTexts.attention, reasons }
  return { level: 'good', title: overviewTexts.good, reasons }
}
