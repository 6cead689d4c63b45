import { withinTime } from '../../../platform/process/time-limit.ts'
import type { Scrape } from './scraper.ts'

/** The primary waits less for silent workers. */
const timeoutMs = 8_000

/** Scrapes that a worker receives, and the primary answers. Scrapes at the same time share one answer. */
export class WorkerScrape {
  readonly #ask: () => void
  #running: Promise<string> | undefined
  #answer: (text: string | undefined) => void = () => undefined

  /** @param ask asks the primary, which calls `receive`. */
  constructor(ask: () => void) {
    this.#ask = ask
  }

  readonly scrape: Scrape = () => {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  /** @param text undefined if the primary could not gather the metrics. */
  receive(text: string | undefined): void {
    this.#answer(text)
  }

  async #run(): Promise<string> {
    const { promise, resolve } = Promise.withResolvers<string | undefined>()
    this.#answer = resolve
    this.#ask()
    const text = await withinTime(promise, timeoutMs)
    if (text === undefined) throw new Error('The main process could not gather the metrics.')
    return text
  }
}
