import { declareLineRun } from './line-run.ts'
import { nextcloudWorld } from './line-world.ts'

declareLineRun('Nextcloud', nextcloudWorld)
