import { acceptanceOn } from './acceptance-on.ts'

await acceptanceOn('rclone serve webdav')
