import { textsOf } from './catalogue.ts'
import { texts } from './en/overview.ts'

export const overviewTexts = textsOf('overview', texts)
