import { describe } from 'node:test'
import { declareFaultRun } from './fault-run.ts'
import { fewOperations } from './operations.ts'
import { equalS3Faults, openS3World, s3Faults } from './s3-world.ts'

describe('Over an S3 store, in a bucket with versions', () => {
  declareFaultRun({
    faults: s3Faults,
    equalFaults: equalS3Faults,
    operations: fewOperations([5_300_000, 90_001]),
    open: (scope) => openS3World(scope, true),
  })
})
