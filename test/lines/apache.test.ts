import { worldOf } from '../support/drive-world.ts'
import { absenceOfApache, startApache } from '../support/webdav/apache.ts'
import { declareLineRun } from './line-run.ts'

declareLineRun('Apache mod_dav', worldOf(startApache), absenceOfApache())
