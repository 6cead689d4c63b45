import { Store } from '../../ui/store.ts'

export interface WantedCount {
  readonly bucket: string
  /** The key of a folder. */
  readonly prefix: string
}

interface CountQueueParts {
  /** Resolves when the service has started to count the folder. */
  readonly start: (wanted: WantedCount) => Promise<void>
  /** Whether an error says that the service is counting the maximum number of folders. */
  readonly isFull: (error: unknown) => boolean
  readonly pause: () => Promise<void>
  readonly onFailure: (error: unknown) => void
}

/** Folders that wait to be counted: the service counts only a few at a time. */
export class CountQueue extends Store<readonly WantedCount[]> {
  readonly #parts: CountQueueParts
  #isRunning = false

  constructor(parts: CountQueueParts) {
    super([])
    this.#parts = parts
  }

  add(bucket: string, prefixes: readonly string[]): void {
    const waiting = this.snapshot()
    const isNew = (prefix: string) =>
      !waiting.some((other) => other.bucket === bucket && other.prefix === prefix)
    this.publish([...waiting, ...prefixes.filter(isNew).map((prefix) => ({ bucket, prefix }))])
    if (!this.#isRunning) void this.#run()
  }

  /** Removes the folders that match from the queue. */
  drop(isDropped: (wanted: WantedCount) => boolean): void {
    this.publish(this.snapshot().filter((wanted) => !isDropped(wanted)))
  }

  async #run(): Promise<void> {
    const { start, isFull, pause, onFailure } = this.#parts
    this.#isRunning = true
    for (;;) {
      const [next] = this.snapshot()
      if (next === undefined) break
      try {
        await start(next)
        this.drop((wanted) => wanted === next)
      } catch (error) {
        if (isFull(error)) await pause()
        else {
          this.drop(() => true)
          onFailure(error)
        }
      }
    }
    this.#isRunning = false
  }
}
