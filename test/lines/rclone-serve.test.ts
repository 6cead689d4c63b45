import { worldOf } from '../support/drive-world.ts'
import { absenceOfRclone, startRcloneServe } from '../support/webdav/rclone-serve.ts'
import { declareLineRun } from './line-run.ts'

declareLineRun('rclone serve webdav', worldOf(startRcloneServe), absenceOfRclone())
