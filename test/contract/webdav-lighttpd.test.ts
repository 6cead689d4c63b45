import { absenceOfLighttpd, startLighttpd } from '../support/webdav/lighttpd.ts'
import { describeWebdavDrive, makeDriveOn } from './webdav-drive-under-test.ts'

describeWebdavDrive('lighttpd', makeDriveOn(startLighttpd), absenceOfLighttpd())
