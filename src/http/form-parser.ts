/**
 * Splits a multipart/form-data body (RFC 7578; RFC 2046 section 5.1) fed in pieces of any size. No package does it
 * here: docs/decisions/dependencies.md says why.
 */

/** The beginning of a part. */
export interface FormPart {
  readonly name: string
  /** As sent; undefined if there is none. */
  readonly filename: string | undefined
  /** Whether every parser reads the same name: no extended parameters, escapes or folded lines, which some ignore. */
  readonly isPlain: boolean
  /** Where its content begins, in bytes from the beginning of the form. */
  readonly contentAt: number
}

/** The form is malformed. The message is for people. */
export class FormError extends Error {
  constructor(why: string, options?: ErrorOptions) {
    super(`The body of your POST request is not well-formed multipart/form-data. ${why}`, options)
    this.name = 'FormError'
  }
}

/** The beginning of a part, or bytes of the one that began last. */
export type FormPiece = FormPart | Buffer

/** RFC 2046 section 5.1.1. */
const maxBoundaryLength = 70
const maxHeadBytes = 16 * 1024
const maxPaddingBytes = 64

const lineEnd = '\r\n'
const headEnd = Buffer.from('\r\n\r\n')
const mediaType = /^multipart\/form-data[ \t]*(?:;|$)/i
const boundaryParameter = /;[ \t]*boundary=(?:"([^"]*)"|([^;"\s]+))/i

/** Whether a Content-Type field is that of a form. */
export function isFormType(contentType: string | undefined): boolean {
  return contentType !== undefined && mediaType.test(contentType)
}

/** @throws FormError if there is none */
export function boundaryOf(contentType: string | undefined): string {
  const [, quoted, plain] = boundaryParameter.exec(contentType ?? '') ?? []
  const boundary = quoted ?? plain ?? ''
  if (boundary !== '' && boundary.length <= maxBoundaryLength) return boundary
  throw new FormError('Its Content-Type has no boundary, or one that is too long.')
}

type State = 'first' | 'delimited' | 'head' | 'content' | 'end'

export class FormParser {
  readonly #delimiter: Buffer
  #state: State = 'first'
  /** What is not yet decided. In front of the first delimiter there is no end of a line. */
  #rest: Buffer = Buffer.from(lineEnd)
  /** Where the rest begins in the form. */
  #restAt = -lineEnd.length

  constructor(boundary: string) {
    this.#delimiter = Buffer.from(`${lineEnd}--${boundary}`, 'latin1')
  }

  /**
   * Takes the next bytes and returns the pieces in them, in order. Bytes are views of memory that nothing else uses
   * any more.
   *
   * @throws FormError
   */
  feed(bytes: Buffer): FormPiece[] {
    const pieces: FormPiece[] = []
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes])
    while (this.#step(pieces)) {
      // Each step decides more of the rest.
    }
    return pieces
  }

  /** @throws FormError if the closing delimiter did not come: the form was cut off */
  end(): void {
    if (this.#state !== 'end') throw new FormError('It ends before its last boundary.')
  }

  /** @returns whether there may be more to decide now */
  #step(pieces: FormPiece[]): boolean {
    switch (this.#state) {
      case 'first':
        return this.#takeFirst()
      case 'delimited':
        return this.#takeLineEnd()
      case 'head':
        return this.#takeHead(pieces)
      case 'content':
        return this.#takeContent(pieces)
      case 'end':
        // RFC 2046 section 5.1: what follows is to be ignored.
        this.#rest = Buffer.alloc(0)
        return false
    }
  }

  #enter(state: State, restFrom: number): true {
    this.#state = state
    this.#restAt += restFrom
    this.#rest = this.#rest.subarray(restFrom)
    return true
  }

  #takeFirst(): boolean {
    const { length } = this.#delimiter
    const begun = this.#rest.subarray(0, length)
    if (!begun.equals(this.#delimiter.subarray(0, begun.length))) {
      throw new FormError('It does not begin with its boundary.')
    }
    return begun.length === length && this.#enter('delimited', length)
  }

  /** Behind a delimiter: the next part, or `--`. A longer boundary that begins like this one is refused. */
  #takeLineEnd(): boolean {
    let at = 0
    while (this.#rest[at] === 0x20 || this.#rest[at] === 0x09) at += 1
    const next = this.#rest.toString('latin1', at, at + 2)
    if (next === '--') return this.#enter('end', at + 2)
    // The end of the line stays: a head without fields begins with the empty line.
    if (next === lineEnd) return this.#enter('head', at)
    if (at > maxPaddingBytes || (next !== '' && next !== '-' && next !== '\r')) {
      throw new FormError('A boundary does not end its line.')
    }
    return false
  }

  #takeHead(pieces: FormPiece[]): boolean {
    const end = this.#rest.indexOf(headEnd)
    if ((end < 0 ? this.#rest.length : end) > maxHeadBytes) {
      throw new FormError(`The head of a part has more than ${maxHeadBytes} bytes.`)
    }
    if (end < 0) return false
    const contentAt = this.#restAt + end + headEnd.length
    pieces.push({ ...readHead(this.#rest.subarray(lineEnd.length, end)), contentAt })
    return this.#enter('content', end + headEnd.length)
  }

  #takeContent(pieces: FormPiece[]): boolean {
    const rest = this.#rest
    const found = rest.indexOf(this.#delimiter)
    const end = found < 0 ? this.#possibleDelimiter() : found
    if (end > 0) pieces.push(rest.subarray(0, end))
    if (found >= 0) return this.#enter('delimited', found + this.#delimiter.length)
    this.#restAt += end
    // Copied, so that the memory of the piece can be freed.
    this.#rest = Buffer.from(rest.subarray(end))
    return false
  }

  /** Where a delimiter may have begun that has not arrived as a whole. */
  #possibleDelimiter(): number {
    const rest = this.#rest
    let at = rest.indexOf(lineEnd[0] ?? '', Math.max(0, rest.length - this.#delimiter.length + 1))
    while (at >= 0) {
      const begun = rest.subarray(at)
      if (begun.equals(this.#delimiter.subarray(0, begun.length))) return at
      at = rest.indexOf(lineEnd[0] ?? '', at + 1)
    }
    return rest.length
  }
}

const disposition = /^content-disposition:[ \t]*form-data[ \t]*(?=;|$)/i
const parameter = /;[ \t]*(name|filename)=(?:"((?:[^"\\]|\\.)*)"|([^;"\s]*))/gi
/** RFC 7578 section 4.2, as browsers and SDKs write it. */
const plainDisposition =
  /^content-disposition:[ \t]*form-data(?:;[ \t]*(?:name="[^"\\]*"|name=[^;"\\\s]*|filename="(?:[^"\\]|\\(?!"))*"|filename\*?=[^;"\\\s]*))*$/i
/** A line that goes on with the one before it (RFC 5322 section 2.2.3), or of which only some parsers see the end. */
const oddLine = /^[ \t]|[\r\n]/

/** @throws FormError if it does not name a field, or in more than one way */
function readHead(head: Buffer): Omit<FormPart, 'contentAt'> {
  const lines = textOf(head).split(lineEnd)
  const [line = '', other] = lines.filter((one) => /^content-disposition[ \t]*:/i.test(one))
  const values = new Map<string, string>()
  for (const [, key = '', quoted, plain] of line.replace(disposition, '').matchAll(parameter)) {
    // Only a quote is escaped: Windows has backslashes in paths.
    const value = quoted?.replaceAll('\\"', '"') ?? plain ?? ''
    if (values.has(key.toLowerCase())) throw new FormError('A part has two names.')
    values.set(key.toLowerCase(), value)
  }
  const name = values.get('name')
  if (name === undefined || other !== undefined || !disposition.test(line)) {
    throw new FormError('A part has no name in a field Content-Disposition: form-data.')
  }
  const isPlain = plainDisposition.test(line) && !lines.some((one) => oddLine.test(one))
  return { name, filename: values.get('filename'), isPlain }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * The text of bytes of a form in UTF-8, which is what browsers and SDKs send.
 *
 * @throws FormError
 */
export function textOf(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch (cause) {
    throw new FormError('A field is not in UTF-8.', { cause })
  }
}
