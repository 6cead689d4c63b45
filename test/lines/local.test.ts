import { localWorld } from '../support/drive-world.ts'
import { declareLineRun } from './line-run.ts'

declareLineRun('A local folder', localWorld)
