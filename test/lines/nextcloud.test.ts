import { nextcloudWorld } from '../support/drive-world.ts'
import { declareLineRun } from './line-run.ts'

declareLineRun('Nextcloud', nextcloudWorld)
