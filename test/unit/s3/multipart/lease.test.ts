import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MemoryDrive } from '../../../../src/drives/memory/memory-drive.ts'
import { Leases } from '../../../../src/s3/multipart/lease.ts'
import { UploadWatch, type WaitOptions } from '../../../../src/s3/multipart/upload-watch.ts'
import { type UploadRow, UploadTable } from '../../../../src/state/stores/uploads.ts'

const held: UploadRow = {
  ...{ id: 'u', target: '', details: '', phase: 'open', driveState: '', partCount: 0, size: 0 },
  ...{ completion: '', createdAtMs: 0, touchedAtMs: 0, leaseOwner: 'one', leaseUntilMs: 20_000 },
}

/** A table that only knows the held upload. */
class HeldTable extends UploadTable {
  isDown = false

  constructor() {
    super(undefined as never)
  }

  override async find() {
    if (this.isDown) throw new Error('no database')
    return held
  }

  override async renewLease() {
    if (this.isDown) throw new Error('no database')
    return true
  }
}

/** Records how long a lease waits, up to the given number of waits. */
class RecordingWatch extends UploadWatch {
  readonly waits: number[] = []
  readonly #onWait: (waits: number) => void
  readonly #done = Promise.withResolvers<void>()

  constructor(onWait: (waits: number) => void) {
    super({ find: async () => undefined, subscribe: () => undefined })
    this.#onWait = onWait
  }

  /** Resolves at the third wait, which never ends. */
  get done(): Promise<void> {
    return this.#done.promise
  }

  override async wait(_upload: UploadRow, { timeoutMs }: WaitOptions): Promise<undefined> {
    this.waits.push(timeoutMs)
    if (this.waits.length === 3) {
      this.#done.resolve()
      await new Promise(() => undefined)
    }
    this.#onWait(this.waits.length)
  }
}

test('a renewal that becomes due between two readings of the clock is not postponed', async () => {
  const clock = { ms: 0 }
  const watch = new RecordingWatch((waits) => {
    // A timer may fire a millisecond early.
    if (waits === 1) clock.ms = 4_999
  })
  const now = () => (clock.ms === 4_999 ? clock.ms++ : clock.ms)
  const lease = new Leases({ drive: new MemoryDrive(), table: new HeldTable(), watch, now }).hold(
    held,
  )
  await watch.done
  lease.end()
  assert.deepEqual(watch.waits, [5_000, 1, 5_000])
})

test('a lease waits before it queries a failed database again', async () => {
  const clock = { ms: 0 }
  const watch = new RecordingWatch(() => {
    clock.ms += 5_000
  })
  const table = new HeldTable()
  table.isDown = true
  const lease = new Leases({ drive: new MemoryDrive(), table, watch, now: () => clock.ms }).hold(
    held,
  )
  await watch.done
  lease.end()
  assert.deepEqual(watch.waits, [5_000, 5_000, 5_000])
})
