/**
 * Splits a multipart/form-data body (RFC 7578; RFC 2046 section 5.1) fed in pieces of any size. No package does it
 * here: docs/decisions/dependencies.md says why.
 */

/** The beginning of a part. */
export interface FormPart {
  readonly name: string
  /** As sent; undefined if there is none. */
  readonly filename: string | undefined
  /** The fields of its head, one in a line (RFC 5322 section 2.2). */
  readonly head: readonly string[]
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
        // RFC 2046 section 5.1 ignores what follows, but Django reads more parts there.
        if (/[^\r\n\t ]/.test(this.#rest.toString('latin1'))) {
          throw new FormError('It continues after its last boundary.')
        }
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

  /**
   * Behind a delimiter: the next part, or `--`. A longer boundary that begins like this one is refused, and so is padding
   * (RFC 2046 section 5.1.1), behind which busboy does not see a part.
   */
  #takeLineEnd(): boolean {
    const next = this.#rest.toString('latin1', 0, 2)
    if (next === '--') return this.#enter('end', 2)
    // The end of the line stays: a head without fields begins with the empty line.
    if (next === lineEnd) return this.#enter('head', 0)
    if (next === '' || next === '-' || next === '\r') return false
    throw new FormError('A boundary does not end its line.')
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
    const found = this.#delimiterInContent()
    const end = found ?? this.#possibleDelimiter()
    if (end > 0) pieces.push(this.#rest.subarray(0, end))
    if (found !== undefined) return this.#enter('delimited', found + this.#delimiter.length)
    this.#restAt += end
    // Copied, so that the memory of the piece can be freed.
    this.#rest = Buffer.from(this.#rest.subarray(end))
    return false
  }

  /**
   * RFC 2046 section 5.1.1: a delimiter begins with CRLF. Others also take one behind a bare LF or CR (Werkzeug, PHP), at
   * the beginning of the content (Go) or anywhere (Django).
   *
   * @throws FormError
   */
  #delimiterInContent(): number | undefined {
    const dashes = this.#rest.indexOf(this.#delimiter.subarray(lineEnd.length))
    if (dashes < 0) return undefined
    if (this.#rest[dashes - 2] === 0x0d && this.#rest[dashes - 1] === 0x0a) return dashes - 2
    throw new FormError('A part contains its boundary without CRLF in front of it.')
  }

  /** Where a delimiter may have begun that has not arrived as a whole, or its dashes without CRLF. */
  #possibleDelimiter(): number {
    const rest = this.#rest
    const forms = [this.#delimiter, this.#delimiter.subarray(lineEnd.length)]
    const begins = (at: number) =>
      forms.some((form) => rest.subarray(at).equals(form.subarray(0, rest.length - at)))
    let at = Math.max(0, rest.length - this.#delimiter.length + 1)
    while (at < rest.length && !begins(at)) at += 1
    return at
  }
}

const disposition = /^content-disposition:[ \t]*form-data[ \t]*(?=;|$)/i
const parameter = /;[ \t]*(name|filename)=(?:"((?:[^"\\]|\\.)*)"|([^;"\s]*))/gi

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
  return { name, filename: values.get('filename'), head: lines }
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
