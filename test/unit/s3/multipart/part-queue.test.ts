import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Leases } from '../../../../src/s3/multipart/lease.ts'
import { PartQueue } from '../../../../src/s3/multipart/part-queue.ts'
import { UploadWatch } from '../../../../src/s3/multipart/upload-watch.ts'
import { DatabaseError } from '../../../../src/state/database.ts'
import type { UploadRow } from '../../../../src/state/stores/uploads.ts'
import { isS3Error } from '../read-fixture.ts'
import { begin, makeWorld, never } from '../write-fixture.ts'

test('PartQueue holds a bounded number of parts and refuses the rest at once', async (t) => {
  const { drive, table, clock, log, worker } = await makeWorld(t)
  const watch = new UploadWatch((id) => table.find(id))
  const options = { drive, table, partWaitMs: 1_000, expiryMs: 60_000, now: clock.now, log }
  const leases = new Leases({ ...options, watch })
  const find = async ({ uploadId }: { uploadId: string }): Promise<UploadRow> => {
    const upload = await table.find(uploadId)
    assert.ok(upload)
    return upload
  }
  const queue = new PartQueue({ ...options, watch, leases }, { find }, 2)
  const name = await begin(worker())
  let heldCount = 2
  const held = [2, 3].map(async (number) => {
    await assert.rejects(queue.admit(name, number, { signal: never }), isS3Error('SlowDown'))
    heldCount -= 1
  })
  // Both are held once the first read is through.
  await find(name)
  await find(name)
  await assert.rejects(queue.admit(name, 4, { signal: never }), isS3Error('SlowDown'))
  assert.equal(heldCount, 2)
  await Promise.all(held)
  const admission = await queue.admit(name, 1, { signal: never })
  assert.equal(admission.turn, 'append')
  if (admission.turn === 'append') await admission.lease.release()
})

test('UploadWatch polls a database that does not respond with pauses, not in a tight loop', async () => {
  let reads = 0
  const watch = new UploadWatch(async () => {
    reads += 1
    throw new DatabaseError('gone')
  })
  const upload = { id: 'u', phase: 'open', partCount: 0, leaseOwner: '', driveState: '' }
  await watch.wait(upload as UploadRow, { timeoutMs: 200, signal: never })
  assert.ok(reads >= 2 && reads <= 50, `${reads} reads`)
})

test('UploadWatch wakes on notify, on abort and on a changed row', {
  timeout: 60_000,
}, async () => {
  const upload = { id: 'u', phase: 'open', partCount: 0, leaseOwner: '', driveState: '' }
  let current: object | undefined = upload
  const watch = new UploadWatch(async () => current as UploadRow)
  // Without a cause the wait would outlast the test.
  const waitFor = async (cause: () => void, signal: AbortSignal = never) => {
    const waiting = watch.wait(upload as UploadRow, { timeoutMs: 3_600_000, signal })
    setImmediate(cause)
    await waiting
  }
  const client = new AbortController()
  await waitFor(() => watch.notify('u'))
  await waitFor(() => client.abort(), client.signal)
  await waitFor(() => (current = { ...upload, partCount: 1 }))
  current = undefined
  await waitFor(() => undefined)
})
