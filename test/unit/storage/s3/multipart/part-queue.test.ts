import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { DatabaseError } from '../../../../../src/platform/state/database.ts'
import { Leases } from '../../../../../src/storage/s3/multipart/lease.ts'
import { PartQueue } from '../../../../../src/storage/s3/multipart/part-queue.ts'
import type { CommittedParts } from '../../../../../src/storage/s3/multipart/upload-rows-table.ts'
import type { UploadRow } from '../../../../../src/storage/s3/multipart/upload-table.ts'
import { UploadWatch } from '../../../../../src/storage/s3/multipart/upload-watch.ts'
import { isS3Error } from '../read-fixture.ts'
import { begin, makeWorld, never } from '../write-fixture.ts'

async function queueOf(t: TestContext, maxWaiting: number) {
  const { drive, table, clock, log, worker } = await makeWorld(t)
  const watch = new UploadWatch(table)
  const options = { drive, table, partWaitMs: 1_000, expiryMs: 60_000, now: clock.now, log }
  const leases = new Leases({ ...options, watch })
  const find = async ({ uploadId }: { uploadId: string }): Promise<UploadRow> => {
    const upload = await table.find(uploadId)
    assert.ok(upload)
    return upload
  }
  const queue = new PartQueue({ ...options, watch, leases, pendingWrites: new Set() }, maxWaiting)
  return { queue, find, names: [await begin(worker()), await begin(worker())] as const }
}

test('PartQueue holds a bounded number of parts and refuses the rest at once', async (t) => {
  const { queue, find, names } = await queueOf(t, 2)
  const [name] = names
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
  assert.deepEqual(queue.statistics(), { held: 2, refused: { 'out-of-turn': 0, 'too-many': 1 } })
  await Promise.all(held)
  await assert.rejects(queue.admit(name, 100, { signal: never }), isS3Error('SlowDown'))
  assert.deepEqual(queue.statistics(), { held: 0, refused: { 'out-of-turn': 3, 'too-many': 1 } })
  const admission = await queue.admit(name, 1, { signal: never })
  assert.equal(admission.turn, 'append')
  if (admission.turn === 'append') await admission.lease.release()
})

test('PartQueue holds fewer parts that are too far ahead, and refuses more of them at once', async (t) => {
  const { queue, names } = await queueOf(t, 8)
  const [one, two] = names
  const client = new AbortController()
  const { signal } = client
  const outcomes: Promise<unknown>[] = []
  const hold = async (name: typeof one, number: number) => {
    const before = queue.statistics().held
    outcomes.push(queue.admit(name, number, { signal }))
    while (queue.statistics().held === before) await nextTurn()
  }
  const refuse = (name: typeof one) =>
    assert.rejects(queue.admit(name, 100, { signal }), isS3Error('SlowDown'))
  await hold(one, 100)
  await hold(one, 101)
  await refuse(one)
  await hold(two, 100)
  await hold(two, 101)
  assert.deepEqual(queue.statistics().refused, { 'out-of-turn': 1, 'too-many': 0 })
  await hold(one, 2)
  await refuse(two)
  client.abort()
  for (const outcome of outcomes) await assert.rejects(outcome, isS3Error('IncompleteBody'))
  assert.deepEqual(queue.statistics(), { held: 0, refused: { 'out-of-turn': 2, 'too-many': 0 } })
})

test('UploadWatch polls a database that does not respond with pauses, not in a tight loop', async () => {
  const client = new AbortController()
  const readAtMs: number[] = []
  const watch = watchOf(async () => {
    readAtMs.push(performance.now())
    if (readAtMs.length === 10) client.abort()
    throw new DatabaseError('gone')
  })
  await watch.wait(seen, { timeoutMs: 3_600_000, signal: client.signal })
  // Timers have whole milliseconds: a pause of 4 ms may be a little shorter.
  const pausesMs = readAtMs.slice(1).map((atMs, index) => atMs - (readAtMs[index] ?? atMs))
  assert.ok(Math.min(...pausesMs) > 2, `${pausesMs}`)
})

const seen = { id: 'u', phase: 'open', partCount: 0, leaseOwner: '', driveState: '' } as UploadRow

test('UploadWatch wakes on a changed row, on notify with one, and on abort', {
  timeout: 60_000,
}, async () => {
  let current: UploadRow | undefined = seen
  const watch = watchOf(async () => current)
  // Without a cause the wait would outlast the test.
  const waitFor = async (cause: () => void, signal: AbortSignal = never) => {
    const waiting = watch.wait(seen, { timeoutMs: 3_600_000, signal })
    setImmediate(cause)
    return await waiting
  }
  const client = new AbortController()
  const changed = { ...seen, partCount: 1 }
  await waitFor(() => client.abort(), client.signal)
  assert.deepEqual(await waitFor(() => watch.notify('u', changed)), { upload: changed })
  assert.deepEqual(await waitFor(() => (current = changed)), { upload: changed })
  current = undefined
  assert.deepEqual(await waitFor(() => undefined), { upload: undefined })
})

test('UploadWatch reads the row once for all that wait, and wakes only those that are due', async () => {
  let reads = 0
  let current = seen
  const watch = watchOf(async () => {
    reads += 1
    return current
  })
  const holder = new AbortController()
  const held = { ...seen, leaseOwner: 'here' }
  current = held
  void watch.wait(held, { timeoutMs: 60_000, signal: holder.signal, isHolder: true })
  const woken: number[] = []
  const parts = [2, 3, 4].map(async (number) => {
    const isDue = ({ partCount }: UploadRow) => partCount + 1 >= number
    await watch.wait(held, { timeoutMs: 60_000, signal: holder.signal, isDue })
    woken.push(number)
  })
  await nextTurn()
  assert.equal(reads, 0)
  current = { ...seen, partCount: 1 }
  watch.notify('u', current)
  await parts[0]
  assert.deepEqual(woken, [2])
  current = { ...seen, partCount: 3 }
  watch.notify('u')
  await Promise.all(parts)
  assert.equal(reads, 1)
  holder.abort()
})

/** An upload with a database that has signals. */
function signaledWorld() {
  const world = {
    current: seen,
    reads: 0,
    doubts: 0,
    signal: (_id: string | undefined, _committed?: CommittedParts): void => undefined,
  }
  const signals = {
    isLive: true,
    doubt: () => {
      world.doubts += 1
    },
  }
  const watch = new UploadWatch({
    find: async () => {
      world.reads += 1
      return world.current
    },
    subscribe: (onChange) => {
      world.signal = onChange
      return signals
    },
  })
  return { world, watch }
}

test('UploadWatch reads a held upload only when a signal arrives', async () => {
  const { world, watch } = signaledWorld()
  // Longer than the pauses without signals.
  const quiet = { timeoutMs: 600, signal: never, isHolder: true }
  assert.deepEqual(await watch.wait(seen, quiet), { upload: seen })
  assert.equal(world.reads, 0)
  const waiting = watch.wait(seen, { timeoutMs: 3_600_000, signal: never, isHolder: true })
  world.current = { ...seen, phase: 'aborted' }
  world.signal('another')
  assert.equal(world.reads, 0)
  world.signal('u')
  assert.deepEqual(await waiting, { upload: world.current })
  assert.equal(world.doubts, 0)
})

test('UploadWatch does not read a row whose change a signal tells', async () => {
  const { world, watch } = signaledWorld()
  const holder = new AbortController()
  void watch.wait(seen, {
    ...{ timeoutMs: 3_600_000, signal: holder.signal, isHolder: true },
    isDue: () => false,
  })
  const isDue = ({ partCount }: UploadRow) => partCount >= 2
  const waiting = watch.wait(seen, { timeoutMs: 3_600_000, signal: never, isDue })
  const committed = { driveState: 'two', partCount: 2, size: 2, touchedAtMs: 2 }
  // Also one that comes late, or again.
  for (const partCount of [1, 0, 2]) world.signal('u', { ...committed, partCount })
  const upload = { ...seen, ...committed, leaseOwner: '', leaseUntilMs: 0 }
  assert.deepEqual(await waiting, { upload })
  // Another process has the lease: whoever reads that knows more, and waits for nothing that has happened.
  const taken = { ...upload, leaseOwner: 'elsewhere' }
  const three = watch.wait(taken, {
    ...{ timeoutMs: 3_600_000, signal: never },
    isDue: ({ partCount }) => partCount >= 3,
  })
  await nextTurn()
  assert.equal(world.reads, 0)
  world.current = { ...taken, partCount: 4, phase: 'aborted' }
  world.signal('u')
  assert.deepEqual(await three, { upload: world.current })
  assert.equal(world.reads, 1)
  holder.abort()
})

test('UploadWatch notices a change without a signal, and doubts the signals', async () => {
  const { world, watch } = signaledWorld()
  const waiting = watch.wait(seen, { timeoutMs: 3_600_000, signal: never })
  setImmediate(() => {
    world.current = { ...seen, partCount: 1 }
  })
  assert.deepEqual(await waiting, { upload: world.current })
  assert.deepEqual([world.reads, world.doubts], [2, 1])
})

function watchOf(find: () => Promise<UploadRow | undefined>): UploadWatch {
  return new UploadWatch({ find, subscribe: () => undefined })
}
