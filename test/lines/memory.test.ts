import { declareLineRun } from './line-run.ts'
import { memoryWorld } from './line-world.ts'

declareLineRun('A drive in memory', memoryWorld)
