import { absenceOfRclone, startRcloneServe } from '../support/webdav/rclone-serve.ts'
import { describeWebdavDrive, makeDriveOn, type StartServer } from './webdav-drive-under-test.ts'

// Without its cache, it reads a whole folder for each request: three times the CPU time.
const start: StartServer = (scope, options) =>
  startRcloneServe(scope, { ...options, cachesFolders: true })

describeWebdavDrive('rclone-serve', makeDriveOn(start), absenceOfRclone())
