import { absenceOfRclone, startRcloneServe } from '../support/webdav/rclone-serve.ts'
import { declareLineRun } from './line-run.ts'
import { worldOf } from './line-world.ts'

declareLineRun('rclone serve webdav', worldOf(startRcloneServe), absenceOfRclone())
