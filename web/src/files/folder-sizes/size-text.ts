import type { FolderCountsReply } from '../../../../src/dashboard/management/folders/folder-count-routes.ts'
import { formatAmount, formatBytes, formatCount, formatExactBytes } from '../../format/bytes.ts'
import { formatMoment } from '../../format/time.ts'

export type FolderCount = FolderCountsReply['counts'][number]

/** The text of a folder in its row; '' for none. */
interface SizeText {
  readonly text: string
  /** The text of the tooltip. */
  readonly title: string
}

/** @param isWaiting whether the folder waits to be counted */
export function sizeText(count: FolderCount | undefined, isWaiting: boolean): SizeText {
  if (count?.isCounting === true) {
    const { objects, bytes } = count.found
    return { text: `${formatBytes(bytes)}…`, title: `Counting: ${formatCount(objects)} so far` }
  }
  if (isWaiting) return { text: 'Waiting…', title: 'Waits until other folders are counted' }
  const problem = count?.problem ?? null
  if (count?.objects == null || count.bytes === null || count.countedAt === null) {
    return problem === null ? { text: '', title: '' } : { text: 'Not counted', title: problem }
  }
  const { objects, bytes, countedAt } = count
  const counted = `counted ${formatMoment(Date.parse(countedAt))}`
  const title = `${formatAmount(objects, 'object')}, ${formatExactBytes(bytes)}, ${counted}`
  const failed = problem === null ? '' : `. The next count failed: ${problem}`
  return { text: formatBytes(bytes), title: title + failed }
}
