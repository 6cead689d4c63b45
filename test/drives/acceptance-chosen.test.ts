import { chosenStore } from '../support/s3/installed-stores.ts'
import { acceptanceOn } from './acceptance-on.ts'

if (chosenStore !== undefined) await acceptanceOn(chosenStore)
