import {
  boundaryOf,
  FormError,
  FormParser,
  type FormPart,
  type FormPiece,
  textOf,
} from '../../platform/http/form-parser.ts'
import { type ModelFinder, type ModelName, unclearModel } from './model-name.ts'

/** The maximum bytes outside files, including the heads of parts. */
const maxFieldBytes = 1024 * 1024

/** RFC 7578 section 4.2, as browsers and SDKs write it. */
const plainDisposition =
  /^content-disposition:[ \t]*form-data(?:;[ \t]*(?:name="[^"\\]*"|name=[^;"\\\s]*|filename="(?:[^"\\]|\\(?!"))*"|filename\*?=[^;"\\\s]*))*$/i
/** Some parsers end a line at a bare CR or LF, or read a form inside the form. */
const plainField = /^(?!content-type:[\t ]*multipart)[\w-]+:[\t\x20-\x7e\x80-\uffff]*$/i
/** Names that some parsers read as `model`: Django trims them, PHP and multer read `model[]` as a list. */
const modelName = /^\W*model(?!\w)/i
/**
 * The header fields of the part `model` that Spring and Apache's HttpClient write. multer reads other types as files, Go
 * decodes quoted-printable, Django and undici decode base64, and busboy the charset.
 */
const modelField =
  /^(?:content-disposition: *form-data; *name=(?:"model"|model)|content-type: *text\/plain(?:; *charset="?(?:utf-?8|us-ascii|iso-8859-1)"?)?|content-length: *\d+|content-transfer-encoding: *(?:7bit|8bit|binary))$/i

interface FoundField {
  /** Whether the value must be ASCII: the head may declare an encoding. */
  readonly isAscii: boolean
  readonly start: number
  readonly bytes: Buffer[]
}

/**
 * Finds the field `model` of a form, before or after its file. Upstreams differ in which of two fields they use, so a
 * second one is refused, even in the rest of a form that is streamed.
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
    // The pieces share the memory of the body, which must be freed when the answer begins.
    field.bytes.length = 0
    const name = asUnclear(() => textOf(bytes))
    if (field.isAscii && bytes.some((byte) => byte > 0x7f)) throw unclearModel(oddHead)
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

  #begin(part: FormPart): void {
    const { name, filename, contentAt, head } = part
    const isModel = modelName.test(name)
    if (isModel && this.#found !== undefined) {
      throw unclearModel('The form contains the field model more than once.')
    }
    if (!isPlain(part) || (isModel && !isPlainModel(part))) throw unclearModel(oddHead)
    this.#isFile = filename !== undefined
    this.#current = undefined
    if (!isModel) return
    this.#current = { start: contentAt, bytes: [], isAscii: head.length > 1 }
    this.#found = this.#current
  }
}

/** Whether every parser reads the same name and content. */
function isPlain({ head }: FormPart): boolean {
  const names = new Set(head.map((field) => field.slice(0, field.indexOf(':')).toLowerCase()))
  if (names.size < head.length) return false
  return head.every((field) => {
    if (!plainField.test(field)) return false
    if (!/^content-disposition:/i.test(field)) return true
    // formidable finds a name in a file name.
    return plainDisposition.test(field) && field.match(/\bname=/gi)?.length === 1
  })
}

/** Whether every parser finds the field `model` in it. */
function isPlainModel({ name, head }: FormPart): boolean {
  return name === 'model' && head.every((field) => modelField.test(field))
}

function asUnclear<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (error instanceof FormError) throw unclearModel(error.message, { cause: error })
    throw error
  }
}

const tooManyFields = 'The fields of the form are larger than 1 MiB together.'
const oddHead =
  'A part of the form has header fields that parsers read differently. Send only name="…" and filename="…" (RFC 7578 section 4.2).'
const lateModel = 'The form is large: put the field model before the file.'
