import type { Stats } from 'node:fs'
import { SizedCache } from '../../../../platform/process/sized-cache.ts'
import type { FileClock } from '../file-clock.ts'

/** The limit for the contents of all files together. */
const limitBytes = 8 * 1024 * 1024
/** The approximate size of an entry without its bytes. */
const entryBytes = 500
/** Longer than a step of the clock of any file system (FAT: 2 s). */
const settledMs = 4_000
/**
 * A program that writes through a shared mapping changes a file's times with its first write, but not necessarily
 * with later ones (mmap(2), "Timestamps changes for file-backed mappings").
 */
const keptMs = 2_000

interface Kept {
  readonly of: object
  readonly bytes: Buffer
  readonly readAtMs: number
}

/** Bytes of small objects that are read often, for a short time. They count only while the file is the same. */
export class KeptContents {
  readonly #clock: Pick<FileClock, 'recentMs'>
  readonly #contents = new SizedCache<Kept>(limitBytes)

  constructor(clock: Pick<FileClock, 'recentMs'>) {
    this.#clock = clock
  }

  /** @param of what the bytes were kept for: others with the same name get nothing */
  get(name: string, of: object): Buffer | undefined {
    const kept = this.#contents.get(name)
    if (kept?.of !== of || performance.now() - kept.readAtMs > keptMs) return undefined
    return kept.bytes
  }

  /**
   * A file that changed just before it was read may change again within the same step of the clock, and
   * look the same. Its bytes are not kept.
   */
  add(name: string, of: { readonly stats: Stats }, bytes: Buffer): void {
    if (this.#clock.recentMs - of.stats.ctimeMs < settledMs) return
    const size = entryBytes + 2 * name.length + bytes.length
    this.#contents.set(name, { of, bytes, readAtMs: performance.now() }, size)
  }

  delete(name: string): void {
    this.#contents.delete(name)
  }
}
