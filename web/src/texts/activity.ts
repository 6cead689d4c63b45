import { textsOf } from './catalogue.ts'
import { texts } from './en/activity.ts'

export const activityTexts = textsOf('activity', texts)
