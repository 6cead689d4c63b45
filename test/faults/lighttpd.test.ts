import { describe } from 'node:test'
import { absenceOfLighttpd, startLighttpd } from '../support/webdav/lighttpd.ts'
import { declareWebdavFaultRun } from './webdav-world.ts'

describe('Over lighttpd', { skip: absenceOfLighttpd() }, () => {
  declareWebdavFaultRun(startLighttpd)
})
