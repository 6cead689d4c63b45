import { textsOf } from './catalogue.ts'
import { texts } from './en/preview.ts'

export const previewTexts = textsOf('preview', texts)
