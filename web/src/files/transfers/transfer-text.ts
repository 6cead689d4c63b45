import { formatAmount, formatBytes, formatCount } from '../../format/bytes.ts'
import { formatDuration } from '../../format/time.ts'
import { visibleName } from '../entries/visible-name.ts'
import { keptBytes, type UploadItem } from '../upload/upload-item.ts'
import type { UploadQueueState } from '../upload/upload-queue.ts'
import type { UploadTotals } from '../upload/upload-totals.ts'
import type { Job } from './job-list.ts'
import { secondsLeft } from './transfer-rate.ts'

/** The number of uploads that are neither done nor failed. */
export function unfinished({ counts }: UploadTotals): number {
  return counts.waiting + counts.running + counts.paused + counts.retrying
}

export function dockTitle({ items, totals }: UploadQueueState, jobs: readonly Job[]): string {
  const open = unfinished(totals)
  if (open > 0) {
    const all = items.length
    return `Uploading ${formatCount(all - open)} of ${formatCount(all)}`
  }
  const running = jobs.find(({ state }) => state === 'running')
  if (running !== undefined) return running.title
  if (totals.counts.failed > 0) return `${filesText(totals.counts.failed)} not uploaded`
  if (totals.counts.done > 0) return `${filesText(totals.counts.done)} uploaded`
  return 'Transfers'
}

/** Announced to screen readers: only what has ended, to limit the announcements. */
export function announcement({ totals }: UploadQueueState, jobs: readonly Job[]): string {
  const texts: string[] = []
  const { done, failed } = totals.counts
  if (unfinished(totals) === 0 && done + failed > 0) {
    texts.push(`${filesText(done)} uploaded${failed > 0 ? `, ${formatCount(failed)} failed` : ''}.`)
  }
  const last = jobs.findLast(({ state }) => state !== 'running')
  if (last !== undefined) texts.push(`${last.title}: ${last.outcome ?? ''}`)
  return texts.join(' ')
}

function filesText(count: number): string {
  return formatAmount(count, 'file')
}

const maxSecondsLeft = 24 * 60 * 60

/** Speed and remaining time, or why there are none. */
export function paceText(queue: UploadQueueState, isConnected: boolean): string {
  const { totals, bytesPerSecond, isPaused } = queue
  const { running, waiting, retrying } = totals.counts
  if (isPaused) return 'Paused'
  if (unfinished(totals) === 0) return ''
  if (running + waiting + retrying === 0) return 'Paused'
  if (!isConnected) return 'Not connected, trying again'
  if (running === 0 && retrying > 0) return 'Waiting to retry'
  if (bytesPerSecond === 0) return ''
  const { totalBytes, sentBytes, idleBytes } = totals
  const left = secondsLeft(totalBytes - sentBytes - idleBytes, bytesPerSecond)
  const speed = `${formatBytes(Math.round(bytesPerSecond))}/s`
  // The first small files yield times that are far too long.
  const isKnown = left !== undefined && left < maxSecondsLeft
  return isKnown ? `${speed}, ${formatDuration(left)} left` : speed
}

export function progressText({ totals }: UploadQueueState): string {
  return `${formatBytes(totals.sentBytes)} of ${formatBytes(totals.totalBytes)}`
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
      return problem?.message ?? `Waiting · ${size}`
    case 'running':
      return `${formatBytes(sent)} of ${size}`
    case 'paused':
      return `Paused at ${formatBytes(sent)} of ${size}`
    case 'retrying':
      return `${problem?.message ?? ''} Retrying soon.`
    case 'failed':
      return [problem?.message ?? 'The upload failed.', keptText(item)].filter(Boolean).join(' ')
    case 'done':
      return `${size}, in ${bucket}`
  }
}

/** The parts of a failed upload that are kept on the drive. */
function keptText(item: UploadItem): string {
  const kept = keptBytes(item)
  if (kept === 0) return ''
  const amount = `${formatBytes(kept)} of ${formatBytes(item.file.size)} are kept`
  return item.problem?.kind === 'full' ? `${amount}: discard them to free space.` : `${amount}.`
}

export function jobText({ state, done, total, outcome }: Job): string {
  if (state !== 'running') return outcome ?? ''
  if (done === 0 && total === undefined) return 'Counting…'
  return total === undefined
    ? `${formatCount(done)} so far`
    : `${formatCount(done)} of ${formatCount(total)}`
}

export function uploadName({ key }: UploadItem): string {
  return visibleName(key)
}
