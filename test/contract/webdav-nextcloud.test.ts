import { describeWebdavDrive, makeNextcloudDrive } from './webdav-drive-under-test.ts'

describeWebdavDrive('nextcloud', makeNextcloudDrive, false)
