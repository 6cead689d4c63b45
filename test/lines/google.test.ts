import { googleWorld } from '../support/drive-world.ts'
import { declareLineRun } from './line-run.ts'

declareLineRun('Google Drive', googleWorld)
