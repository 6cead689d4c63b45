import { declareLineRun } from './line-run.ts'
import { localWorld } from './line-world.ts'

declareLineRun('A local folder', localWorld)
