import { describe } from 'node:test'
import { absenceOfApache, startApache } from '../support/webdav/apache.ts'
import { declareWebdavFaultRun } from './webdav-world.ts'

describe('Over Apache', { skip: absenceOfApache() }, () => {
  declareWebdavFaultRun(startApache)
})
