import { Readable } from 'node:stream'
import {
  boundaryOf,
  FormError,
  FormParser,
  type FormPart,
  textOf,
} from '../../../platform/http/form-parser.ts'
import type { HttpRequest } from '../../../platform/http/message.ts'
import { BodyReading } from '../../../platform/http/read-body.ts'
import { bodyFailure } from '../body/payload.ts'
import { S3Error } from '../errors.ts'

/**
 * Maximum bytes of everything but the file: fields, heads of parts, and what follows the file (API reference, "Creating
 * an HTML form", "HTML form declaration").
 */
const maxOtherBytes = 20 * 1024
const filenameVariable = /\$\{filename\}/g

/** A form whose fields have arrived. */
export interface Form {
  /** Names in lower case, `${filename}` replaced. */
  readonly fields: ReadonlyMap<string, string>
  /**
   * The bytes of the file as they arrive. The stream ends after the whole form has arrived. If the form is cut off or
   * malformed, the stream is destroyed with an S3Error.
   */
  readonly file: Readable
  /** Stops reading. The rest of the body stays unread. */
  close(): void
}

/**
 * Reads a form up to its file (https://docs.aws.amazon.com/AmazonS3/latest/API/RESTObjectPOST.html). Fields after the file
 * are ignored, as in S3.
 *
 * @param idleTimeoutMs how long to wait for the next byte
 * @throws S3Error MalformedPOSTRequest, MaxPostPreDataLengthExceededError, IncorrectNumberOfFilesInPostRequest,
 *   RequestTimeout, IncompleteBody
 */
export function readForm(request: HttpRequest, idleTimeoutMs = 60_000): Promise<Form> {
  const { form, start } = beginReading(request.headers['content-type'])
  request.acceptBody()
  start(request, idleTimeoutMs)
  return form
}

function beginReading(contentType: string | undefined): FormReading {
  try {
    return new FormReading(boundaryOf(contentType))
  } catch (error) {
    throw formFailure(error)
  }
}

/** The error of AWS for a form that could not be read. */
function formFailure(error: unknown): unknown {
  if (!(error instanceof FormError)) return bodyFailure(error)
  return new S3Error('MalformedPOSTRequest', error.message, { cause: error })
}

class FormReading {
  readonly #parser: FormParser
  readonly #form = Promise.withResolvers<Form>()
  readonly #fields = new Map<string, string>()
  #part: FormPart | undefined
  readonly #value = new FieldValue()
  #file: FormFile | undefined
  #reading: BodyReading | undefined
  #otherBytes = 0

  constructor(boundary: string) {
    this.#parser = new FormParser(boundary)
  }

  get form(): Promise<Form> {
    return this.#form.promise
  }

  readonly start = (request: HttpRequest, idleTimeoutMs: number): void => {
    const take = (bytes: Buffer) => this.#take(bytes)
    this.#reading = new BodyReading(request, { idleTimeoutMs, isGathered: true, take })
    this.#reading.done.then(() => this.#end()).catch((error) => this.#fail(formFailure(error)))
  }

  #take(bytes: Buffer): Promise<void> | undefined {
    let draining: Promise<void> | undefined
    this.#otherBytes += bytes.length
    for (const piece of this.#parser.feed(bytes)) {
      if (!Buffer.isBuffer(piece)) this.#begin(piece)
      else if (this.#part?.name.toLowerCase() === 'file' && this.#file !== undefined) {
        this.#otherBytes -= piece.length
        draining = this.#file.offer(piece)
      } else if (this.#file === undefined) this.#value.append(piece)
    }
    if (this.#otherBytes > maxOtherBytes) throw tooMuch()
    return draining
  }

  #begin(part: FormPart): void {
    if (this.#file !== undefined) {
      // Anything after the file, even another file, is ignored.
      this.#part = undefined
      return
    }
    this.#endField()
    this.#part = part
    if (part.name.toLowerCase() !== 'file') return
    this.#reading?.release()
    const file = new FormFile()
    this.#file = file
    const close = () => {
      this.#reading?.stop()
      file.destroy()
    }
    this.#form.resolve({ fields: expanded(this.#fields, part.filename), file, close })
  }

  /** Values of one name are joined by commas (User Guide, "HTML forms", "Conditions"). */
  #endField(): void {
    if (this.#part === undefined) return
    const name = this.#part.name.toLowerCase()
    const value = textOf(this.#value.take())
    const other = this.#fields.get(name)
    this.#fields.set(name, other === undefined ? value : `${other},${value}`)
  }

  #end(): void {
    this.#parser.end()
    if (this.#file === undefined) throw new S3Error('IncorrectNumberOfFilesInPostRequest')
    this.#file.push(null)
  }

  #fail(error: unknown): void {
    this.#form.reject(error)
    this.#file?.destroy(error instanceof Error ? error : undefined)
  }
}

/** Collects the bytes of a field without an object for each piece, because a client may send single bytes. */
class FieldValue {
  #bytes = Buffer.alloc(1024)
  #length = 0

  append(bytes: Buffer): void {
    const needed = this.#length + bytes.length
    if (needed > this.#bytes.length) {
      const grown = Buffer.alloc(2 * needed)
      this.#bytes.copy(grown, 0, 0, this.#length)
      this.#bytes = grown
    }
    this.#length += bytes.copy(this.#bytes, this.#length)
  }

  take(): Buffer {
    const taken = this.#bytes.subarray(0, this.#length)
    this.#length = 0
    return taken
  }
}

/** A stream of the file that applies backpressure. */
class FormFile extends Readable {
  #draining: PromiseWithResolvers<void> | undefined

  constructor() {
    super()
    // The stream may fail before anything reads it.
    this.on('error', () => undefined)
  }

  /** Adds bytes. Undefined if more can be added at once. */
  offer(bytes: Buffer): Promise<void> | undefined {
    if (this.destroyed || this.push(bytes)) return undefined
    this.#draining ??= Promise.withResolvers()
    return this.#draining.promise
  }

  override _read(): void {
    this.#draining?.resolve()
    this.#draining = undefined
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this._read()
    callback(error)
  }
}

/**
 * Replaces `${filename}` by the name of the file without its path (User Guide, "HTML forms").
 *
 * @throws S3Error MaxPostPreDataLengthExceededError if the result is too long
 */
function expanded(fields: ReadonlyMap<string, string>, filename = ''): ReadonlyMap<string, string> {
  const base = filename.slice(Math.max(filename.lastIndexOf('/'), filename.lastIndexOf('\\')) + 1)
  let length = 0
  for (const value of fields.values()) {
    length += value.length + base.length * (value.match(filenameVariable)?.length ?? 0)
  }
  if (length > maxOtherBytes) throw tooMuch()
  const expand = (value: string) => value.replace(filenameVariable, () => base)
  return new Map([...fields].map(([name, value]) => [name, expand(value)]))
}

function tooMuch(): S3Error {
  return new S3Error('MaxPostPreDataLengthExceededError')
}
