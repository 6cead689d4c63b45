import { absenceOfApache, startApache } from '../support/webdav/apache.ts'
import { declareLineRun } from './line-run.ts'
import { worldOf } from './line-world.ts'

declareLineRun('Apache mod_dav', worldOf(startApache), absenceOfApache())
