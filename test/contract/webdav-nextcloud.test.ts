import { describeWebdavDrive, makeNextcloudDrive } from './webdav-drive-under-test.ts'

describeWebdavDrive('nextcloud', makeNextcloudDrive, false, {
  replaceLast: 'there are as many names for chunks as there may be parts',
})
