import { textsOf } from './catalogue.ts'
import { texts } from './en/shares.ts'

export const sharesTexts = textsOf('shares', texts)
