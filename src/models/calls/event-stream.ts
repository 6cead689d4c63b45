/** The last bytes of what passes through, in linear time, however small its pieces are. */
export class LastBytes {
  readonly #kept: number
  #buffer: Buffer = Buffer.alloc(0)
  #size = 0

  /** @param kept the minimum number of bytes to keep; the maximum is twice as many */
  constructor(kept: number) {
    this.#kept = kept
  }

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#size)
  }

  add(bytes: Buffer): void {
    const kept = this.#kept
    const added = bytes.subarray(Math.max(0, bytes.length - kept))
    if (this.#size + added.length > 2 * kept) {
      this.#buffer.copyWithin(0, this.#size - Math.min(this.#size, kept), this.#size)
      this.#size = Math.min(this.#size, kept)
    }
    const needed = this.#size + added.length
    if (needed > this.#buffer.length) {
      const grown = Buffer.allocUnsafe(Math.min(2 * kept, 2 * needed))
      this.#buffer.copy(grown, 0, 0, this.#size)
      this.#buffer = grown
    }
    added.copy(this.#buffer, this.#size)
    this.#size = needed
  }

  clear(): void {
    this.#size = 0
  }
}

export interface ServerSentEvent {
  /** The field `event`; may be empty. */
  readonly name: string
  /** The fields `data`, joined by line feeds. */
  readonly data: Buffer
}

/** The size of events whose content is not needed. */
const maxEventBytes = 1024 * 1024
const lineFeed = 0x0a
const carriageReturn = 0x0d
const lineBreak = Buffer.of(lineFeed)
const dataField = /^data(?::|$)/
const eventField = /^event:/

const byteOrderMark = '\u00ef\u00bb\u00bf'

/**
 * Reads server-sent events (WHATWG HTML, "Event stream interpretation") in linear time and bounded memory. Comments
 * and blocks without data are not events.
 */
export class EventStreamReader {
  /** The beginning of a line that has not ended. */
  readonly #line: LastBytes
  readonly #maxBytes: number
  #isAfterReturn = false
  #isFirstLine = true
  #name = ''
  #data: Buffer[] = []
  #dataBytes = 0
  #isTooLarge = false
  /** Whether an event was too large, and was skipped. */
  hasSkipped = false

  /** @param maxBytes larger events are skipped */
  constructor(maxBytes = maxEventBytes) {
    this.#maxBytes = maxBytes
    this.#line = new LastBytes(maxBytes)
  }

  /** The events that these bytes complete. */
  take(bytes: Buffer): readonly ServerSentEvent[] {
    const events: ServerSentEvent[] = []
    if (bytes.length === 0) return events
    // The second half of a line break whose first half ended the last piece.
    let start = this.#isAfterReturn && bytes[0] === lineFeed ? 1 : 0
    let feedAt = indexOf(bytes, lineFeed, start)
    let returnAt = indexOf(bytes, carriageReturn, start)
    for (let end = Math.min(feedAt, returnAt); end < bytes.length; ) {
      const event = this.#takeLine(bytes.subarray(start, end))
      if (event !== undefined) events.push(event)
      start = end + (end === returnAt && feedAt === end + 1 ? 2 : 1)
      if (feedAt < start) feedAt = indexOf(bytes, lineFeed, start)
      if (returnAt < start) returnAt = indexOf(bytes, carriageReturn, start)
      end = Math.min(feedAt, returnAt)
    }
    this.#isAfterReturn = bytes.at(-1) === carriageReturn
    if (start < bytes.length) this.#line.add(bytes.subarray(start))
    this.#isTooLarge ||= this.#line.bytes.length > this.#maxBytes
    return events
  }

  /**
   * The event at the end of a stream whose empty line, or last line break, is missing. Browsers and SDKs discard it.
   * Servers leave them out after `[DONE]` and after usage, which count all the same.
   */
  end(): ServerSentEvent | undefined {
    if (this.#line.bytes.length > 0) this.#takeLine(Buffer.alloc(0))
    return this.#dispatch()
  }

  #dispatch(): ServerSentEvent | undefined {
    const { length } = this.#data
    const event = { name: this.#name, data: joined(this.#data) }
    const isUsable = length > 0 && !this.#isTooLarge
    this.hasSkipped ||= this.#isTooLarge
    this.#name = ''
    this.#data = []
    this.#dataBytes = 0
    this.#isTooLarge = false
    return isUsable ? event : undefined
  }

  #takeLine(end: Buffer): ServerSentEvent | undefined {
    const { bytes: begun } = this.#line
    const line = begun.length === 0 ? end : Buffer.concat([begun, end])
    this.#line.clear()
    if (this.#isFirstLine) {
      this.#isFirstLine = false
      if (line.toString('latin1', 0, 3) === byteOrderMark) return this.#takeLine(line.subarray(3))
    }
    if (line.length === 0) return this.#dispatch()
    const field = line.toString('latin1', 0, 6)
    if (eventField.test(field)) this.#name = fieldValue(line, 6).toString()
    if (!dataField.test(field.slice(0, 5))) return undefined
    this.#dataBytes += line.length
    this.#isTooLarge ||= this.#dataBytes > this.#maxBytes
    // A copy, so that the memory of the piece can be freed.
    if (!this.#isTooLarge) this.#data.push(Buffer.from(fieldValue(line, 5)))
    return undefined
  }
}

/** The length if there is none. */
function indexOf(bytes: Buffer, byte: number, start: number): number {
  const at = bytes.indexOf(byte, start)
  return at < 0 ? bytes.length : at
}

function fieldValue(line: Buffer, start: number): Buffer {
  return line.subarray(line[start] === 0x20 ? start + 1 : start)
}

function joined(lines: readonly Buffer[]): Buffer {
  const [first = Buffer.alloc(0), ...others] = lines
  return others.length === 0
    ? first
    : Buffer.concat([first, ...others.flatMap((line) => [lineBreak, line])])
}
