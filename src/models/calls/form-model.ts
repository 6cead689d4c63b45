import {
  boundaryOf,
  FormError,
  FormParser,
  type FormPart,
  type FormPiece,
  textOf,
} from '../../http/form-parser.ts'
import { type ModelFinder, type ModelName, unclearModel } from './model-name.ts'

/** Bytes of all that is no file, heads of parts included. */
const maxFieldBytes = 1024 * 1024

interface FoundField {
  readonly start: number
  readonly bytes: Buffer[]
}

/**
 * Finds the field `model` of a form, in front of its file or behind. Upstreams differ in which of two counts, so there
 * may be only one, also in what follows a large beginning.
 */
export class FormModel implements ModelFinder {
  readonly #parser: FormParser
  #current: FoundField | undefined
  #isFile = false
  #fileBytes = 0
  #fieldBytes = 0
  #found: FoundField | undefined

  /** @throws ApiError 400 */
  constructor(contentType: string | undefined) {
    this.#parser = asUnclear(() => new FormParser(boundaryOf(contentType)))
  }

  take(bytes: Buffer): void {
    asUnclear(() => {
      for (const piece of this.#parser.feed(bytes)) this.#takePiece(piece)
    })
  }

  find(_body: Buffer, isWhole: boolean): ModelName {
    if (isWhole) asUnclear(() => this.#parser.end())
    const field = this.#found
    if (field === undefined)
      throw unclearModel(isWhole ? 'The form has no field model.' : lateModel)
    const bytes = Buffer.concat(field.bytes)
    // They share the memory of the body, which a long answer must not keep.
    field.bytes.length = 0
    const name = asUnclear(() => textOf(bytes))
    const { start } = field
    return { name, start, end: start + bytes.length, encode: (other) => other }
  }

  #takePiece(piece: FormPiece): void {
    if (Buffer.isBuffer(piece)) {
      this.#current?.bytes.push(piece)
      if (this.#isFile) this.#fileBytes += piece.length
      else this.#fieldBytes += piece.length
    } else {
      this.#fieldBytes = piece.contentAt - this.#fileBytes
      this.#begin(piece)
    }
    if (this.#fieldBytes > maxFieldBytes) throw unclearModel(tooManyFields)
  }

  #begin({ name, filename, contentAt, isPlain }: FormPart): void {
    if (!isPlain) throw unclearModel(oddHead)
    this.#isFile = filename !== undefined
    this.#current = undefined
    if (name.toLowerCase() !== 'model') return
    if (this.#found !== undefined) {
      throw unclearModel('The form has the field model more than once.')
    }
    this.#current = { start: contentAt, bytes: [] }
    this.#found = this.#current
  }
}

function asUnclear<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (error instanceof FormError) throw unclearModel(error.message, { cause: error })
    throw error
  }
}

const tooManyFields = 'The fields of the form have more than 1 MiB.'
const oddHead =
  'A part of the form has a head that not everyone reads alike. Send only name="…" and filename="…" (RFC 7578 section 4.2).'
const lateModel = 'The form is large: put its field model in front of the file.'
