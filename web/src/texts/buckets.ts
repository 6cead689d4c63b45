import { textsOf } from './catalogue.ts'
import { texts } from './en/buckets.ts'

export const bucketsTexts = textsOf('buckets', texts)
