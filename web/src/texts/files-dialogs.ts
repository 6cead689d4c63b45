import { textsOf } from './catalogue.ts'
import { texts } from './en/files-dialogs.ts'

export const filesDialogsTexts = textsOf('filesDialogs', texts)
