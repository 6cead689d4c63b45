import { modelsTexts } from '../../texts/models.ts'

/** Maximum characters of one event. Nobody could read a longer answer. */
const maxEvent = 1_000_000

/** Extracts the data of server-sent events from a stream as it arrives (HTML standard, "Server-sent events"). */
export class EventReader {
  readonly #decoder = new TextDecoder()
  #rest = ''
  #data: string[] = []

  /** The data of the events that these bytes complete. @throws Error if an event has no end */
  take(bytes: Uint8Array): readonly string[] {
    // A CR may be the first half of CRLF.
    const text = this.#rest + this.#decoder.decode(bytes, { stream: true })
    const end = text.endsWith('\r') ? text.length - 1 : text.length
    const lines = text.slice(0, end).split(/\r\n|\n|\r/)
    this.#rest = (lines.pop() ?? '') + text.slice(end)
    if (this.#rest.length > maxEvent) throw new Error(modelsTexts.try.eventTooLong)
    return lines.flatMap((line) => this.#line(line))
  }

  #line(line: string): readonly string[] {
    if (line === '') {
      const data = this.#data.join('\n')
      this.#data = []
      return data === '' ? [] : [data]
    }
    if (line.startsWith('data:')) this.#data.push(line.slice(5).replace(/^ /, ''))
    return []
  }
}
