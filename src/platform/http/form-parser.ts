/**
 * Splits a multipart/form-data body (RFC 7578; RFC 2046 section 5.1) that arrives in pieces of any size.
 * docs/decisions/dependencies.md says why no package does it.
 */

/** The beginning of a part. */
export interface FormPart {
  readonly name: string
  /** As sent; undefined if there is none. */
  readonly filename: string | undefined
  /** The lines of its head, each a header field (RFC 5322 section 2.2). */
  readonly head: readonly string[]
  /** Offset of its content in the form, in bytes. */
  readonly contentAt: number
}

/** The form is malformed. The message can be shown to the client. */
export class FormError extends Error {
  constructor(why: string, options?: ErrorOptions) {
    super(`The body of your POST request is not well-formed multipart/form-data. ${why}`, options)
    this.name = 'FormError'
  }
}

/** The beginning of a part, or bytes of the content of the last part that began. */
export type FormPiece = FormPart | Buffer

/** RFC 2046 section 5.1.1. */
const maxBoundaryLength = 70
const maxHeadBytes = 16 * 1024

const lineEnd = '\r\n'
const headEnd = Buffer.from('\r\n\r\n')
const mediaType = /^multipart\/form-data[ \t]*(?:;|$)/i
const boundaryParameter = /;[ \t]*boundary=(?:"([^"]*)"|([^;"\s]+))/i

/** Whether a Content-Type is that of a form. */
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
  /** Bytes that are not yet decided. A line end is prepended, since the first delimiter has none before it. */
  #rest: Buffer = Buffer.from(lineEnd)
  /** Offset of the rest in the form. */
  #restAt = -lineEnd.length

  constructor(boundary: string) {
    this.#delimiter = Buffer.from(`${lineEnd}--${boundary}`, 'latin1')
  }

  /**
   * Takes the next bytes and returns their pieces in order. Buffers are views of memory that the parser no longer uses.
   *
   * @throws FormError
   */
  feed(bytes: Buffer): FormPiece[] {
    const pieces: FormPiece[] = []
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes])
    while (this.#step(pieces)) {
      // Each step consumes more of the rest.
    }
    return pieces
  }

  /** @throws FormError if the closing delimiter is missing: the form was cut off */
  end(): void {
    if (this.#state !== 'end') throw new FormError('It ends before its last boundary.')
  }

  /** @returns whether the rest may contain more */
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
        // Ignored according to RFC 2046 section 5.1, but Django would read more parts there.
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
   * After a delimiter, a part or `--` follows. A longer boundary with the same beginning is refused, as is padding (RFC
   * 2046 section 5.1.1), after which busboy does not see a part.
   */
  #takeLineEnd(): boolean {
    const next = this.#rest.toString('latin1', 0, 2)
    if (next === '--') return this.#enter('end', 2)
    // The line end stays: a head without fields begins with the empty line.
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
   * RFC 2046 section 5.1.1: a delimiter begins with CRLF. Other parsers also accept it after a bare LF or CR (Werkzeug,
   * PHP), at the beginning of the content (Go) or anywhere (Django), so such content is refused.
   *
   * @throws FormError
   */
  #delimiterInContent(): number | undefined {
    const dashes = this.#rest.indexOf(this.#delimiter.subarray(lineEnd.length))
    if (dashes < 0) return undefined
    if (this.#rest[dashes - 2] === 0x0d && this.#rest[dashes - 1] === 0x0a) return dashes - 2
    throw new FormError('A part contains its boundary without CRLF in front of it.')
  }

  /** Where an incomplete delimiter, with or without CRLF, may begin. */
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

/** @throws FormError if it names no field, or names it twice */
function readHead(head: Buffer): Omit<FormPart, 'contentAt'> {
  const lines = textOf(head).split(lineEnd)
  const [line = '', other] = lines.filter((one) => /^content-disposition[ \t]*:/i.test(one))
  const values = new Map<string, string>()
  for (const [, key = '', quoted, plain] of line.replace(disposition, '').matchAll(parameter)) {
    // Only quotes are escaped, because paths on Windows contain backslashes.
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
 * Decodes UTF-8, which browsers and SDKs send in forms.
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
