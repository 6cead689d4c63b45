import {
  boundaryOf,
  FormError,
  FormParser,
  type FormPiece,
  textOf,
} from '../../http/form-parser.ts'
import { type ModelName, unclearModel } from './model-name.ts'

/** Bytes of all fields that are not the file. */
const maxFieldBytes = 1024 * 1024

interface FoundField {
  readonly start: number
  readonly bytes: Buffer[]
}

/**
 * Finds the field `model` of a form, in front of its file or behind.
 *
 * @param isWhole whether the body has its end; otherwise the beginning of a larger one
 * @throws ApiError 400
 */
export function modelOfForm(
  body: Buffer,
  contentType: string | undefined,
  isWhole: boolean,
): ModelOfForm {
  const fields = new ModelFields(() => new FormParser(boundaryOf(contentType)))
  fields.take(body, isWhole)
  const field = fields.found
  if (field === undefined) throw unclearModel(isWhole ? 'The form has no field model.' : lateModel)
  const bytes = Buffer.concat(field.bytes)
  const { start } = field
  const name = textOf(bytes)
  return {
    ...{ name, start, end: start + bytes.length, encode: (other) => other },
    checkRest: (rest) => fields.take(rest, false),
  }
}

interface ModelOfForm extends ModelName {
  /** Checks what follows the beginning of a body, in order. @throws ApiError 400 */
  readonly checkRest: (bytes: Buffer) => void
}

/** The fields `model` of a form. Upstreams differ in which of two counts, so there may be only one. */
class ModelFields {
  readonly #parser: FormParser
  #current: FoundField | undefined
  #isFile = false
  #fieldBytes = 0
  found: FoundField | undefined

  constructor(newParser: () => FormParser) {
    this.#parser = asUnclear(newParser)
  }

  take(bytes: Buffer, isEnd: boolean): void {
    asUnclear(() => {
      for (const piece of this.#parser.feed(bytes)) this.#takePiece(piece)
      if (isEnd) this.#parser.end()
    })
  }

  #takePiece(piece: FormPiece): void {
    if (Buffer.isBuffer(piece)) {
      this.#current?.bytes.push(piece)
      if (!this.#isFile) this.#fieldBytes += piece.length
      if (this.#fieldBytes > maxFieldBytes) throw unclearModel(tooManyFields)
      return
    }
    this.#isFile = piece.filename !== undefined
    this.#current = undefined
    if (piece.name.toLowerCase() !== 'model') return
    if (this.found !== undefined) {
      throw unclearModel('The form has the field model more than once.')
    }
    this.#current = { start: piece.contentAt, bytes: [] }
    this.found = this.#current
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
const lateModel = 'The form is large: put its field model in front of the file.'
