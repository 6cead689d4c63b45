import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import {
  BodyMemory,
  CollectedBody,
} from '../../../../../../src/storage/drives/s3/requests/collected-body.ts'
import { StreamedBody } from '../../../../../../src/storage/drives/s3/requests/streamed-body.ts'

function bodyOf(memory: BodyMemory, size: number | undefined, signal?: AbortSignal) {
  const stream = async (bytes: number) =>
    new StreamedBody<number>(bytes, undefined, async ({ body }) => {
      let sent = 0
      for await (const chunk of body.pipe(new PassThrough())) sent += chunk.length
      return sent
    })
  return new CollectedBody({ memory, size, signal, stream })
}

test('few bodies without a length are in memory at a time, and others wait with few bytes', async () => {
  const memory = new BodyMemory()
  const bodies = Array.from({ length: 20 }, () => bodyOf(memory, undefined))
  let written = 0
  const writes = bodies.map(async (body) => {
    await body.write(Buffer.alloc(60_000))
    await body.write(Buffer.alloc(10_000))
    written += 1
  })
  await turn()
  assert.equal(written, 16)
  bodies[0]?.end()
  await turn()
  assert.equal(written, 17)
  for (const body of bodies) {
    body.end()
    await turn()
  }
  await Promise.all(writes)
})

test('bodies of a known length are sent while they arrive if others have the memory', async () => {
  const memory = new BodyMemory()
  const bodies = Array.from({ length: 70 }, () => bodyOf(memory, 200_000))
  for (const body of bodies) await body.write(Buffer.alloc(100_000))
  const streamed = bodies.filter((body) => body.streamed !== undefined)
  assert.equal(streamed.length, 6)
  const [one] = streamed
  await one?.write(Buffer.alloc(100_000))
  assert.equal(await one?.streamed?.finish(), 200_000)
  for (const body of bodies) body.end()
  const next = bodyOf(memory, 200_000)
  await next.write(Buffer.alloc(100_000))
  assert.equal(next.streamed, undefined)
  assert.equal(next.take().length, 100_000)
})

test('a body that waits for memory ends with its client', async () => {
  const memory = new BodyMemory()
  const client = new AbortController()
  const others = Array.from({ length: 16 }, () => bodyOf(memory, undefined))
  for (const body of others) await body.write(Buffer.alloc(70_000))
  const waiting = bodyOf(memory, undefined, client.signal).write(Buffer.alloc(70_000))
  client.abort(new Error('gone'))
  await assert.rejects(waiting, /gone/)
})

test('the waits of a body leave no listeners behind', async () => {
  let listeners = 0
  const body = new StreamedBody<void>(4_000_000, undefined, async (sending) => {
    for await (const _ of sending.body.pipe(new PassThrough())) {
      listeners = Math.max(listeners, sending.body.listenerCount('close'))
      await turn()
    }
  })
  for (let count = 0; count < 20; count += 1) await body.write(Buffer.alloc(200_000))
  await body.finish()
  assert.ok(listeners < 10, `${listeners} listeners`)
})
