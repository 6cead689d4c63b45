import { declareLineRun } from './line-run.ts'
import { googleWorld } from './line-world.ts'

declareLineRun('Google Drive', googleWorld)
