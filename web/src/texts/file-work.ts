import { textsOf } from './catalogue.ts'
import { texts } from './en/file-work.ts'

export const fileWorkTexts = textsOf('fileWork', texts)
