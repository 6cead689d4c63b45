import { textsOf } from './catalogue.ts'
import { texts } from './en/frame.ts'

export const frameTexts = textsOf('frame', texts)
