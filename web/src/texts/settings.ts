import { textsOf } from './catalogue.ts'
import { texts } from './en/settings.ts'

export const settingsTexts = textsOf('settings', texts)
