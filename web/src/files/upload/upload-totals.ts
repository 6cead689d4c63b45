import { smallBytes } from './part-size.ts'
import type { UploadItem, UploadOrder, UploadState } from './upload-item.ts'

export interface UploadTotals {
  readonly counts: Readonly<Record<UploadState, number>>
  readonly totalBytes: number
  readonly sentBytes: number
  /** Unsent bytes of paused and failed files, which do not count for the remaining time. */
  readonly idleBytes: number
}

/** The number of uploads that are neither done nor failed. */
export function unfinished({ counts }: UploadTotals): number {
  return counts.waiting + counts.running + counts.paused + counts.retrying
}

/**
 * Uploads at a time: four, or twelve small ones. Browsers open six connections per host. Four leave
 * some for the page; small files finish so quickly that other requests can wait for them, and two per connection keep
 * it busy.
 */
const slots = 12

/** The sums over all uploads, kept up to date with each change of one. */
export class UploadSums {
  readonly counts: Record<UploadState, number> = {
    ...{ waiting: 0, running: 0, paused: 0, retrying: 0, failed: 0, done: 0 },
  }
  #usedSlots = 0
  #totalBytes = 0
  #sentBytes = 0
  #idleBytes = 0

  /** Whether one more upload can start. */
  hasRoomFor(order: UploadOrder): boolean {
    return this.#usedSlots + slotsOf(order) <= slots
  }

  add(item: UploadItem): void {
    this.#count(item, 1)
  }

  remove(item: UploadItem): void {
    this.#count(item, -1)
  }

  read(): UploadTotals {
    return {
      counts: { ...this.counts },
      totalBytes: this.#totalBytes,
      sentBytes: this.#sentBytes,
      idleBytes: this.#idleBytes,
    }
  }

  #count(item: UploadItem, sign: 1 | -1): void {
    const { state, file, sent } = item
    this.counts[state] += sign
    this.#totalBytes += sign * file.size
    this.#sentBytes += sign * sent
    if (state === 'running') this.#usedSlots += sign * slotsOf(item)
    if (state === 'paused' || state === 'failed') this.#idleBytes += sign * (file.size - sent)
  }
}

function slotsOf({ file }: UploadOrder): number {
  return file.size <= smallBytes ? 1 : 3
}
