import { absenceOfLighttpd, startLighttpd } from '../support/webdav/lighttpd.ts'
import { describeWebdavDrive, makeDriveOn } from './webdav-drive-under-test.ts'

describeWebdavDrive('lighttpd', makeDriveOn(startLighttpd), absenceOfLighttpd(), {
  capacity: 'it answers 500 to what does not fit, as to any mishap',
})
