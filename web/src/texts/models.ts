import { textsOf } from './catalogue.ts'
import { texts } from './en/models.ts'

export const modelsTexts = textsOf('models', texts)
