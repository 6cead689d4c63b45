import { fieldOf, parsedJson } from '../../platform/text/json-text.ts'
import { type Failure, failureOfEvent } from './failures.ts'

/** Bytes in front of the first event. More count as a beginning. */
const maxHeldBytes = 64 * 1024

const emptyLine = /\n\n|\r\r|\n\r|\r\n\r/

/** How a stream of server-sent events begins, as far as it is known. */
export type StreamStart =
  | 'waiting'
  | 'begun'
  | {
      readonly failure: Failure
      /** The data of the event that reports it: JSON in the form of an error's body. */
      readonly data: string
    }

/**
 * Looks for the first event of a stream (WHATWG HTML, "Event stream interpretation"). Comments, which some upstreams
 * send while they wait, are none. One that reports an error, or the end, is not a beginning.
 */
export class StreamStartReader {
  readonly #held: Buffer[] = []
  #bytes = 0
  /** Since the last whole comment. latin1 keeps what is cut within a character; lines end in ASCII. */
  #text = ''
  /** Where an empty line may have begun. */
  #tail = ''

  /** What has arrived so far. */
  get held(): Buffer[] {
    return this.#held
  }

  take(bytes: Buffer): StreamStart {
    this.#held.push(bytes)
    this.#bytes += bytes.length
    if (this.#bytes > maxHeldBytes) return 'begun'
    const text = bytes.toString('latin1')
    const seen = this.#tail + text
    this.#tail = seen.slice(-2)
    this.#text += text
    // Once for each empty line, however many pieces it comes in.
    return emptyLine.test(seen) ? this.#start() : 'waiting'
  }

  #start(): StreamStart {
    const lines = this.#text.replaceAll('\r\n', '\n').replaceAll('\r', '\n')
    const blocks = lines.split('\n\n')
    // What is behind the last empty line may go on.
    const rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const fields = block.split('\n').filter((line) => line !== '' && !line.startsWith(':'))
      // WHATWG HTML: without data nothing is dispatched, whatever else it has.
      if (fields.some((line) => /^data(?::|$)/.test(line))) return kindOf(fields)
    }
    // The last line break may be the first half of one.
    if (blocks.length > 0 && !this.#text.endsWith('\r')) this.#text = rest
    return 'waiting'
  }
}

function kindOf(fields: readonly string[]): StreamStart {
  const values = (name: string) =>
    fields
      .filter((line) => line.startsWith(`${name}:`))
      .map((line) => line.slice(name.length + 1).replace(/^ /, ''))
  const data = Buffer.from(values('data').join('\n'), 'latin1').toString()
  if (data === '[DONE]') return { failure: emptyStream, data: '' }
  const event = parsedJson(data)
  const isError = values('event').at(-1) === 'error' || isErrorEvent(event)
  return isError ? { failure: failureOfEvent(event), data } : 'begun'
}

const emptyStream: Failure = {
  ...{ scope: 'moment', status: 502 },
  reason: 'The upstream ended its stream before the first event.',
}

function isErrorEvent(event: unknown): boolean {
  const error = fieldOf(event, 'error')
  return (error !== undefined && error !== null) || fieldOf(event, 'type') === 'error'
}
