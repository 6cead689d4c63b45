import { worldOf } from '../support/drive-world.ts'
import { absenceOfLighttpd, startLighttpd } from '../support/webdav/lighttpd.ts'
import { declareLineRun } from './line-run.ts'

declareLineRun('lighttpd mod_webdav', worldOf(startLighttpd), absenceOfLighttpd())
