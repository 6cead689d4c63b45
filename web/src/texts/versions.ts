import { textsOf } from './catalogue.ts'
import { texts } from './en/versions.ts'

export const versionsTexts = textsOf('versions', texts)
