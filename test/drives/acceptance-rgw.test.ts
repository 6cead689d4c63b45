import { acceptanceOn } from './acceptance-on.ts'

await acceptanceOn("Ceph's RGW")
