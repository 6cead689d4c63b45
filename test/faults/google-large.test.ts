import { describe } from 'node:test'
import { declareFaultRun } from './fault-run.ts'
import { googleFaults, openGoogleWorld } from './google-world.ts'
import { largeOperations } from './operations.ts'

describe('Objects on Google Drive that go through a session', () => {
  declareFaultRun({
    faults: googleFaults,
    operations: largeOperations,
    open: openGoogleWorld,
  })
})
