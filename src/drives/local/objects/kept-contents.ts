import type { Stats } from 'node:fs'
import { SizedCache } from '../../sized-cache.ts'
import type { FileClock } from '../file-clock.ts'

/** The bytes of a file, and its change time when they were read. */
export interface Content {
  readonly bytes: Buffer
  readonly changedAtMs: number
}

/** The limit for the contents of all files together. */
const limitBytes = 8 * 1024 * 1024
/** The approximate size of an entry without its bytes. */
const entryBytes = 500
/** Longer than a step of the clock of any file system (FAT: 2 s). */
const settledMs = 4_000

/** Bytes of small objects that are read often. They count only while the file's change time is the same. */
export class KeptContents {
  readonly #clock: Pick<FileClock, 'recentMs'>
  readonly #contents = new SizedCache<{ readonly of: object; readonly content: Content }>(
    limitBytes,
  )

  constructor(clock: Pick<FileClock, 'recentMs'>) {
    this.#clock = clock
  }

  /** @param of what the bytes were kept for: others with the same name get nothing */
  get(name: string, of: object): Content | undefined {
    const kept = this.#contents.get(name)
    return kept?.of === of ? kept.content : undefined
  }

  /**
   * A file that changed just before it was read may change again within the same step of the clock, and
   * look the same. Its bytes are not kept.
   */
  add(name: string, of: object, content: Content): void {
    if (this.#clock.recentMs - content.changedAtMs < settledMs) return
    const size = entryBytes + 2 * name.length + content.bytes.length
    this.#contents.set(name, { of, content }, size)
  }

  delete(name: string): void {
    this.#contents.delete(name)
  }
}

/** Whether the bytes are those of the file that now has this status, if it has the same identity. */
export function isCurrent({ changedAtMs }: Content, now: Stats): boolean {
  return now.ctimeMs === changedAtMs
}
