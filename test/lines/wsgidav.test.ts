import { worldOf } from '../support/drive-world.ts'
import { absenceOfWsgidav, startWsgidav } from '../support/webdav/wsgidav.ts'
import { declareLineRun } from './line-run.ts'

declareLineRun('WsgiDAV', worldOf(startWsgidav), absenceOfWsgidav())
