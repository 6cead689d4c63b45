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
): ModelName {
  try {
    return modelField(body, boundaryOf(contentType), isWhole)
  } catch (error) {
    if (error instanceof FormError) throw unclearModel(error.message, { cause: error })
    throw error
  }
}

function modelField(body: Buffer, boundary: string, isWhole: boolean): ModelName {
  const parser = new FormParser(boundary)
  const fields = modelFields(parser.feed(body))
  if (isWhole) parser.end()
  const [field] = fields
  if (field === undefined) throw unclearModel(isWhole ? 'The form has no field model.' : lateModel)
  if (fields.length > 1) throw unclearModel('The form has the field model more than once.')
  const bytes = Buffer.concat(field.bytes)
  const { start } = field
  return { name: textOf(bytes), start, end: start + bytes.length, encode: (other) => other }
}

function modelFields(pieces: readonly FormPiece[]): readonly FoundField[] {
  const found: FoundField[] = []
  let current: FoundField | undefined
  let isFile = false
  let fieldBytes = 0
  for (const piece of pieces) {
    if (Buffer.isBuffer(piece)) {
      current?.bytes.push(piece)
      if (!isFile) fieldBytes += piece.length
      if (fieldBytes > maxFieldBytes) throw unclearModel(tooManyFields)
      continue
    }
    isFile = piece.filename !== undefined
    const isModel = piece.name.toLowerCase() === 'model'
    current = isModel ? { start: piece.contentAt, bytes: [] } : undefined
    if (current !== undefined) found.push(current)
  }
  return found
}

const tooManyFields = 'The fields of the form have more than 1 MiB.'
const lateModel = 'The form is large: put its field model in front of the file.'
