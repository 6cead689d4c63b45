import { textsOf } from './catalogue.ts'
import { texts } from './en/file-change.ts'

export const fileChangeTexts = textsOf('fileChange', texts)
