import { textsOf } from './catalogue.ts'
import { texts } from './en/refusals.ts'

export const refusalTexts = textsOf('refusals', texts)
