import { describe } from 'node:test'
import { declareFaultRun } from './fault-run.ts'
import { equalGoogleFaults, googleFaults, openGoogleWorld } from './google-world.ts'
import { smallOperations } from './operations.ts'

describe('Objects and uploads on Google Drive', () => {
  declareFaultRun({
    faults: googleFaults,
    equalFaults: equalGoogleFaults,
    // Neither is a multiple of Google's blocks.
    operations: smallOperations([600_000, 300_001]),
    open: openGoogleWorld,
  })
})
