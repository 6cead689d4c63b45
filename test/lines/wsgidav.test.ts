import { absenceOfWsgidav, startWsgidav } from '../support/webdav/wsgidav.ts'
import { declareLineRun } from './line-run.ts'
import { worldOf } from './line-world.ts'

declareLineRun('WsgiDAV', worldOf(startWsgidav), absenceOfWsgidav())
