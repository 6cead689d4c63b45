import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { openMemoryDrive } from '../../../../../src/storage/drives/memory/memory-drive.ts'
import { Leases } from '../../../../../src/storage/s3/multipart/lease.ts'
import {
  type UploadRow,
  UploadTable,
} from '../../../../../src/storage/s3/multipart/upload-table.ts'
import { UploadWatch } from '../../../../../src/storage/s3/multipart/upload-watch.ts'

const held: UploadRow = {
  ...{ id: 'u', target: '', details: '', phase: 'open', driveState: '', partCount: 0, size: 0 },
  ...{ completion: '', createdAtMs: 0, touchedAtMs: 0, leaseOwner: 'one', leaseUntilMs: 20_000 },
  slotSize: 0,
}

/** A table that only knows the held upload. */
class HeldTable extends UploadTable {
  row = held
  isDown = false
  /** When renewals were asked for, and whether the row was read at that time. */
  readonly calls: (readonly [call: 'find' | 'renew', atMs: number])[] = []
  readonly #clock: { ms: number }

  constructor(clock: { ms: number }) {
    super(undefined as never)
    this.#clock = clock
  }

  override async find() {
    this.#note('find')
    return this.row
  }

  override async renewLease() {
    this.#note('renew')
    return this.row.leaseOwner === held.leaseOwner
  }

  override subscribe() {
    return { isLive: true, doubt: () => undefined }
  }

  #note(call: 'find' | 'renew'): void {
    this.calls.push([call, this.#clock.ms])
    if (this.isDown) throw new Error('no database')
  }
}

/** A held lease whose time passes when the test says. */
function hold(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const clock = { ms: 0 }
  const table = new HeldTable(clock)
  const watch = new UploadWatch(table)
  const leases = new Leases({ drive: openMemoryDrive(), table, watch, now: () => clock.ms })
  const pass = async (ms: number) => {
    clock.ms += ms
    t.mock.timers.tick(ms)
    // The timers' work continues in microtasks.
    for (let turn = 0; turn < 20; turn++) await undefined
  }
  return { table, watch, lease: leases.hold(held), pass }
}

test('a held lease costs one renewal every 5 s while signals arrive', async (t) => {
  const { table, lease, pass } = hold(t)
  for (let second = 0; second < 16; second++) await pass(1_000)
  lease.end()
  for (let second = 0; second < 10; second++) await pass(1_000)
  assert.deepEqual(table.calls, [
    ['renew', 5_000],
    ['renew', 10_000],
    ['renew', 15_000],
  ])
})

test('a lease waits before it queries a failed database again, and is over before it ends', async (t) => {
  const { table, lease, pass } = hold(t)
  table.isDown = true
  for (let second = 0; second < 15; second++) await pass(1_000)
  assert.ok(lease.isHeld)
  assert.deepEqual(table.calls, [
    ['renew', 5_000],
    ['renew', 10_000],
    ['renew', 15_000],
  ])
  await pass(1)
  assert.equal(lease.isHeld, false)
  lease.end()
})

test('a holder learns at once that another process has taken its lease', async (t) => {
  const { table, watch, lease, pass } = hold(t)
  await pass(1_000)
  table.row = { ...held, leaseOwner: 'two' }
  watch.notify(held.id)
  await pass(0)
  assert.ok(lease.lost.aborted)
  assert.equal(lease.lost.reason.code, 'SlowDown')
  assert.equal(table.calls.filter(([call]) => call === 'renew').length, 0)
})

test('a holder whose renewal is refused gets the reason', async (t) => {
  const { table, lease, pass } = hold(t)
  table.row = { ...held, leaseOwner: 'two', phase: 'aborted' }
  await pass(5_000)
  assert.equal(lease.lost.reason.code, 'NoSuchUpload')
})

test('a lease that cannot be released expires: the work under it has succeeded', async (t) => {
  const { table, lease } = hold(t)
  t.mock.method(table, 'releaseLease', async () => {
    throw new Error('no database')
  })
  await lease.release()
  assert.ok(lease.ended.aborted)
})
