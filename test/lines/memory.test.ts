import { memoryWorld } from '../support/drive-world.ts'
import { declareLineRun } from './line-run.ts'

declareLineRun('A drive in memory', memoryWorld)
