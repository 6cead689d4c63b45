import { textsOf } from './catalogue.ts'
import { texts } from './en/keys.ts'

export const keysTexts = textsOf('keys', texts)
