import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { declareFaultRun } from './fault-run.ts'
import { fewOperations, largeOperations } from './operations.ts'
import { equalS3Faults, openS3World, s3Faults } from './s3-world.ts'

describe('Over an S3 store', () => {
  const worlds: Awaited<ReturnType<typeof openS3World>>[] = []
  declareFaultRun({
    faults: s3Faults,
    equalFaults: equalS3Faults,
    operations: [...fewOperations([5_300_000, 90_001]), ...largeOperations],
    async open(scope) {
      const world = await openS3World(scope)
      worlds.push(world)
      return world
    },
  })

  it('leaves no upload in the store after a sweep', async () => {
    for (const world of worlds) assert.deepEqual(await world.sweep(), [])
  })
})
