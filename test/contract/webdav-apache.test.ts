import { absenceOfApache, startApache } from '../support/webdav/apache.ts'
import { describeWebdavDrive, makeDriveOn } from './webdav-drive-under-test.ts'

describeWebdavDrive('apache', makeDriveOn(startApache), absenceOfApache(), {
  replaceLast: 'parts are appended to one file on the server',
})
