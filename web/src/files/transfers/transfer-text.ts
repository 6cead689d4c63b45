import { formatBytes, formatCount } from '../../format/bytes.ts'
import { formatDuration } from '../../format/time.ts'
import { frameTexts } from '../../texts/frame.ts'
import { transfersTexts } from '../../texts/transfers.ts'
import { visibleName } from '../entries/visible-name.ts'
import { keptBytes, type UploadItem } from '../upload/upload-item.ts'
import type { UploadQueueState } from '../upload/upload-queue.ts'
import { type UploadTotals, unfinished } from '../upload/upload-totals.ts'
import type { Job } from './job-list.ts'
import { secondsLeft } from './transfer-rate.ts'

/** @param isOpen whether the rows below the title are shown, which have the ended jobs. */
export function dockTitle(
  { items, totals }: UploadQueueState,
  jobs: readonly Job[],
  isOpen: boolean,
): string {
  const running = jobs.find(({ state }) => state === 'running')
  if (unfinished(totals) === 0 && running !== undefined) return running.title
  if (items.length > 0) return uploadsTitle(totals)
  return (isOpen ? undefined : jobs.at(-1)?.title) ?? transfersTexts.title
}

/** What some uploads are doing, or have done. */
export function uploadsTitle(totals: UploadTotals): string {
  const open = unfinished(totals)
  const { failed, done } = totals.counts
  if (open > 0) {
    const ended = failed + done
    return transfersTexts.uploading(formatCount(ended), formatCount(ended + open))
  }
  return failed > 0 ? transfersTexts.notUploaded(failed) : transfersTexts.uploaded(done)
}

/** Announced to screen readers: only what has ended, to limit the announcements. */
export function announcement({ totals }: UploadQueueState, jobs: readonly Job[]): string {
  const texts: string[] = []
  const { done, failed } = totals.counts
  if (unfinished(totals) === 0 && done + failed > 0) {
    const uploaded = transfersTexts.uploaded(done)
    texts.push(`${failed > 0 ? transfersTexts.someFailed(uploaded, failed) : uploaded}.`)
  }
  const last = jobs.findLast(({ state }) => state !== 'running')
  if (last !== undefined) texts.push(`${last.title}: ${last.outcome ?? ''}`)
  return texts.join(' ')
}

const maxSecondsLeft = 24 * 60 * 60

/** Speed and remaining time, or why there are none. */
export function paceText(queue: UploadQueueState, isConnected: boolean): string {
  const { totals, bytesPerSecond, isPaused } = queue
  const { running, waiting, retrying } = totals.counts
  if (isPaused) return transfersTexts.paused
  if (unfinished(totals) === 0) return ''
  if (running + waiting + retrying === 0) return transfersTexts.paused
  if (!isConnected) return frameTexts.notConnected
  if (running === 0 && retrying > 0) return transfersTexts.waitingToRetry
  if (bytesPerSecond === 0) return ''
  const { totalBytes, sentBytes, idleBytes } = totals
  const left = secondsLeft(totalBytes - sentBytes - idleBytes, bytesPerSecond)
  const speed = `${formatBytes(Math.round(bytesPerSecond))}/s`
  // The first small files yield times that are far too long.
  const isKnown = left !== undefined && left < maxSecondsLeft
  return isKnown ? transfersTexts.left(speed, formatDuration(left)) : speed
}

export function progressText({ totals }: UploadQueueState): string {
  const all = formatBytes(totals.totalBytes)
  const isAllDone = unfinished(totals) + totals.counts.failed === 0
  return isAllDone ? all : transfersTexts.of(formatBytes(totals.sentBytes), all)
}

/** The completed share in percent. */
export function percent(part: number, whole: number): number {
  return whole <= 0 ? 0 : Math.min(100, (part / whole) * 100)
}

/** The line below the name of an upload. */
export function uploadText(item: UploadItem): string {
  const { state, sent, file, problem, bucket } = item
  const size = formatBytes(file.size)
  switch (state) {
    case 'waiting':
      return problem?.message ?? transfersTexts.waiting(size)
    case 'running':
      return transfersTexts.of(formatBytes(sent), size)
    case 'paused':
      return transfersTexts.pausedAt(formatBytes(sent), size)
    case 'retrying':
      return transfersTexts.retrying(problem?.message ?? '')
    case 'failed':
      return [problem?.message ?? transfersTexts.failed, keptText(item)].filter(Boolean).join(' ')
    case 'done':
      return transfersTexts.in(size, bucket)
  }
}

/** The parts of a failed upload that are kept on the drive. */
function keptText(item: UploadItem): string {
  const kept = keptBytes(item)
  if (kept === 0) return ''
  const text = item.problem?.kind === 'full' ? transfersTexts.keptFull : transfersTexts.kept
  return text(formatBytes(kept), formatBytes(item.file.size))
}

export function jobText({ state, done, total, outcome }: Job): string {
  if (state !== 'running') return outcome ?? ''
  if (done === 0 && total === undefined) return transfersTexts.counting
  return total === undefined
    ? transfersTexts.soFar(formatCount(done))
    : transfersTexts.of(formatCount(done), formatCount(total))
}

export function uploadName({ key }: UploadItem): string {
  return visibleName(key)
}
