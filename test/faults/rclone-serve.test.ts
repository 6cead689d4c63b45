import { describe } from 'node:test'
import { absenceOfRclone, startRcloneServe } from '../support/webdav/rclone-serve.ts'
import { declareWebdavFaultRun } from './webdav-world.ts'

describe('Over rclone serve', { skip: absenceOfRclone() }, () => {
  declareWebdavFaultRun(startRcloneServe)
})
