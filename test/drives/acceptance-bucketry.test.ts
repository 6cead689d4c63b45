import { acceptanceOn } from './acceptance-on.ts'

await acceptanceOn('Bucketry')
