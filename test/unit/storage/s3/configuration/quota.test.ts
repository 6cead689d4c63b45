import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertQuotaForComplete } from '../../../../../src/storage/s3/configuration/quota.ts'
import type { BucketContext } from '../../../../../src/storage/s3/context.ts'

test('of several requests that complete an upload, the first one counts it', async () => {
  const counted = { bytes: 5 }
  for (const [phase, uploaded] of Object.entries({
    open: counted,
    completing: undefined,
    completed: undefined,
  })) {
    const context = {
      service: {
        uploads: { find: async () => ({ phase, size: 5, partCount: 1 }) },
        usage: { exceededBy: async () => undefined },
      },
      identity: { kind: 'owner' },
      ...{ bucket: 'photos', configuration: { quotaBytes: 10 } },
    } as unknown as BucketContext
    assert.deepEqual(await assertQuotaForComplete(context, 'u'), uploaded, phase)
  }
})
