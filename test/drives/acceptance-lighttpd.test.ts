import { acceptanceOn } from './acceptance-on.ts'

await acceptanceOn('lighttpd mod_webdav')
