import { textsOf } from './catalogue.ts'
import { texts } from './en/trash.ts'

export const trashTexts = textsOf('trash', texts)
