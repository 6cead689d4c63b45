import { textsOf } from './catalogue.ts'
import { texts } from './en/file-edit.ts'

export const fileEditTexts = textsOf('fileEdit', texts)
