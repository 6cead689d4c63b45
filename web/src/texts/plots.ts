import { textsOf } from './catalogue.ts'
import { texts } from './en/plots.ts'

export const plotsTexts = textsOf('plots', texts)
