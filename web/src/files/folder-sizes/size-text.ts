import type { FolderCountsReply } from '../../../../src/dashboard/management/folders/folder-count-routes.ts'
import { shownMessage } from '../../api/shown-message.ts'
import { formatBytes, formatCount, formatExactBytes } from '../../format/bytes.ts'
import { formatMoment } from '../../format/time.ts'
import { filesTexts } from '../../texts/files.ts'

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
    return { text: `${formatBytes(bytes)}…`, title: filesTexts.size.counting(formatCount(objects)) }
  }
  if (isWaiting) return { text: filesTexts.size.waiting, title: filesTexts.size.waitingText }
  const problem = count?.problem ?? null
  if (count?.objects == null || count.bytes === null || count.countedAt === null) {
    return problem === null
      ? { text: '', title: '' }
      : { text: filesTexts.size.notCounted, title: shownMessage(problem) }
  }
  const { objects, bytes, countedAt } = count
  const moment = formatMoment(Date.parse(countedAt))
  const title = filesTexts.size.known(objects, formatExactBytes(bytes), moment)
  const failed = problem === null ? '' : filesTexts.size.countFailed(shownMessage(problem))
  return { text: formatBytes(bytes), title: title + failed }
}
