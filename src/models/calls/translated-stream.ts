import type { StreamTranslation } from '../translation/translation.ts'
import { EventStreamReader } from './event-stream.ts'
import type { UsageReader } from './reported-usage.ts'

export interface TranslatedAnswer {
  readonly fields: readonly (readonly [name: string, value: string])[]
  /** Translates a stream of events while it passes. */
  readonly stream?: TranslatedStream
  /** What an answer that is translated as a whole reports: the client's API has no place for all of it. */
  readonly usage?: Pick<UsageReader, 'result'>
}

/** The maximum size of an answer, and of one event: both are kept in memory. */
export const maxAnswerBytes = 64 * 1024 * 1024
const maxEventBytes = 16 * 1024 * 1024
export const tooLarge = 'The answer of the upstream is too large to be translated.'

/** Translates the bytes of a stream of events. */
export class TranslatedStream {
  readonly #events = new EventStreamReader(maxEventBytes)
  readonly #translation: StreamTranslation
  #size = 0

  constructor(translation: StreamTranslation) {
    this.#translation = translation
  }

  take(bytes: Buffer): string {
    this.#size += bytes.length
    const events = this.#events.take(bytes)
    const text = events.map(({ data }) => this.#translation.take(data.toString())).join('')
    const isTooLarge = this.#events.hasSkipped || this.#size > maxAnswerBytes
    return isTooLarge ? text + this.#translation.fail(tooLarge) : text
  }

  end(): string {
    const last = this.#events.end()
    const text = last === undefined ? '' : this.#translation.take(last.data.toString())
    return text + this.#translation.end()
  }

  /** `open`: the upstream wrote no end, so that the client gets none. */
  get state(): StreamTranslation['state'] {
    return this.#translation.state
  }
}
