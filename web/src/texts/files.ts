import { textsOf } from './catalogue.ts'
import { texts } from './en/files.ts'

export const filesTexts = textsOf('files', texts)
