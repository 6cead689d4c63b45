import { absenceOfLighttpd, startLighttpd } from '../support/webdav/lighttpd.ts'
import { declareLineRun } from './line-run.ts'
import { worldOf } from './line-world.ts'

declareLineRun('lighttpd mod_webdav', worldOf(startLighttpd), absenceOfLighttpd())
