import { describe } from 'node:test'
import { declareFaultRun } from './fault-run.ts'
import { equalGoogleFaults, googleFaults, openGoogleWorld } from './google-world.ts'
import { largeOperations } from './operations.ts'

describe('Objects on Google Drive that go through a session', () => {
  declareFaultRun({
    faults: googleFaults,
    equalFaults: equalGoogleFaults,
    operations: largeOperations,
    open: openGoogleWorld,
  })
})
