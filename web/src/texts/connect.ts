import { textsOf } from './catalogue.ts'
import { texts } from './en/connect.ts'

export const connectTexts = textsOf('connect', texts)
