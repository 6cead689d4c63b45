import { absenceOfRclone, startRcloneServe } from '../support/webdav/rclone-serve.ts'
import { describeWebdavDrive, makeDriveOn } from './webdav-drive-under-test.ts'

describeWebdavDrive('rclone-serve', makeDriveOn(startRcloneServe), absenceOfRclone())
