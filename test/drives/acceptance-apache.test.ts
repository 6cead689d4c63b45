import { acceptanceOn } from './acceptance-on.ts'

await acceptanceOn('Apache mod_dav')
