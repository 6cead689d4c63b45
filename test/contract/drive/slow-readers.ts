import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { Drive, OpenOptions } from '../../../src/storage/drives/drive.ts'
import { DriveError } from '../../../src/storage/drives/drive-error.ts'
import { bucket, bytesOf, collect, put } from './stored-object.ts'

const key = 'large'
const bytes = bytesOf(1_000_000)
/** How long a request waits for a connection. */
const placeMs = 15_000

/** A client that reads the first bytes and then stalls. */
interface Stalled {
  readonly chunks: AsyncIterator<Uint8Array>
  readonly first: Promise<unknown>
}

async function stall(drive: Drive, options: OpenOptions): Promise<Stalled> {
  const object = await drive.open(bucket, key, options)
  assert.ok(object)
  const chunks = object.read(0, object.size)[Symbol.asyncIterator]()
  const first = chunks.next()
  // Those that never get a connection are finally refused.
  first.catch(() => undefined)
  return { chunks, first }
}

async function readWhole(drive: Drive, options: OpenOptions): Promise<void> {
  const object = await drive.open(bucket, key, options)
  assert.ok(object)
  assert.ok((await collect(object.read(0, object.size))).equals(bytes))
  await object.close()
}

/** More slow readers of low priority than a drive has connections leave room for the others. */
export async function leavesRoom(drive: Drive, readers: number): Promise<void> {
  await put(drive, key, bytes)
  const slow = await Promise.all(
    Array.from({ length: readers }, () => stall(drive, { priority: 'low' })),
  )
  await Promise.race(slow.map(({ first }) => first))
  const startedAt = performance.now()
  await Promise.all(Array.from({ length: 8 }, () => readWhole(drive, {})))
  assert.ok(performance.now() - startedAt < placeMs, 'they have waited for a connection')
}

/** Readers with clients that stall for 30 seconds give way to a waiting one, and only then. */
export async function givesWay(t: TestContext, drive: Drive, readers: number): Promise<void> {
  await put(drive, key, bytes)
  const now = performance.now.bind(performance)
  let aheadMs = 0
  t.mock.method(performance, 'now', () => now() + aheadMs)
  const slow = await Promise.all(
    Array.from({ length: readers }, () => stall(drive, { priority: 'low' })),
  )
  await Promise.all(slow.map(({ first }) => first))
  aheadMs += 31_000
  await readWhole(drive, {})
  await readWhole(drive, { priority: 'low' })
  const outcomes = await Promise.allSettled(
    slow.map(async ({ chunks }) => await collect({ [Symbol.asyncIterator]: () => chunks })),
  )
  const ended = outcomes.filter(({ status }) => status === 'rejected')
  assert.equal(ended.length, 1)
  for (const { reason } of ended as PromiseRejectedResult[]) {
    assert.ok(reason instanceof DriveError && reason.kind === 'busy', String(reason))
  }
}

/** The gateway's own reads, such as for a copy, keep their connections however slow they are. */
export async function keepsOwnReads(t: TestContext, drive: Drive, places: number): Promise<void> {
  await put(drive, key, bytes)
  const now = performance.now.bind(performance)
  let aheadMs = 0
  t.mock.method(performance, 'now', () => now() + aheadMs)
  const own = await Promise.all(Array.from({ length: places - 1 }, () => stall(drive, {})))
  await Promise.all(own.map(({ first }) => first))
  aheadMs += 60_000
  const client = await stall(drive, { priority: 'normal' })
  await client.first
  aheadMs += 31_000
  await readWhole(drive, {})
  const rest = ({ chunks }: Stalled) => collect({ [Symbol.asyncIterator]: () => chunks })
  await Promise.all(own.map(rest))
  await assert.rejects(rest(client), { kind: 'busy' })
}
