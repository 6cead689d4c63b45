import { textsOf } from './catalogue.ts'
import { texts } from './en/transfers.ts'

export const transfersTexts = textsOf('transfers', texts)
