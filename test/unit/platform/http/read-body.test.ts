import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { PassThrough, Readable } from 'node:stream'
import { test } from 'node:test'
import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import { BodyError, BodyReading } from '../../../../src/platform/http/read-body.ts'

const idleTimeoutMs = 10_000

async function isBodyError(reading: BodyReading, kind: BodyError['kind']): Promise<BodyError> {
  const error: unknown = await reading.done.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof BodyError)
  assert.equal(error.kind, kind)
  return error
}

function listenersOf(body: Readable): number {
  const events = ['data', 'readable', 'error', 'close'] as const
  return events.reduce((sum, event) => sum + body.listenerCount(event), 0)
}

test('BodyReading passes on all bytes, one piece at a time, and resolves at the end', async () => {
  let text = ''
  let taking = 0
  const body = Readable.from([Buffer.from('ab'), Buffer.from('c'), Buffer.from('d')])
  const before = listenersOf(body)
  const reading = new BodyReading(
    { body, isKnown: true },
    {
      idleTimeoutMs,
      take: async (bytes) => {
        assert.equal(++taking, 1)
        await turnOfTheLoop()
        text += bytes.toString()
        taking -= 1
      },
    },
  )
  await reading.done
  assert.equal(text, 'abcd')
  assert.equal(listenersOf(body), before)
  await new BodyReading({ body, isKnown: true }, { idleTimeoutMs, take: () => undefined }).done
})

test('BodyReading leaves the stream and its unread bytes alone when it is stopped', async () => {
  const body = new PassThrough()
  const before = listenersOf(body)
  const first = Promise.withResolvers<string>()
  const reading = new BodyReading(
    { body, isKnown: true },
    {
      idleTimeoutMs,
      take: (bytes) => {
        first.resolve(bytes.toString())
        reading.stop()
        return undefined
      },
    },
  )
  body.write('ab')
  assert.equal(await first.promise, 'ab')
  body.write('cd')
  await turnOfTheLoop()
  assert.equal(body.destroyed, false)
  assert.equal(listenersOf(body), before)
  assert.equal(body.read()?.toString(), 'cd')
})

for (const [title, take] of [
  ['throws', () => assert.fail('full')],
  ['rejects', () => Promise.reject(new assert.AssertionError({ message: 'full' }))],
] as const) {
  test(`BodyReading rejects and leaves the rest unread when take ${title}`, async () => {
    const body = new PassThrough()
    const reading = new BodyReading({ body, isKnown: true }, { idleTimeoutMs, take })
    body.write('ab')
    await assert.rejects(reading.done, { message: 'full' })
    body.write('cd')
    assert.equal(body.read()?.toString(), 'cd')
  })
}

test('BodyReading rejects with gone, and the cause, when the connection ends within the body', async () => {
  const body = new PassThrough()
  const reading = new BodyReading({ body, isKnown: true }, { idleTimeoutMs, take: () => undefined })
  const cause = new Error('reset')
  body.destroy(cause)
  assert.equal((await isBodyError(reading, 'gone')).cause, cause)
  await isBodyError(
    new BodyReading({ body, isKnown: true }, { idleTimeoutMs, take: () => undefined }),
    'gone',
  )
})

test('BodyReading waits for the piece that is being taken before it rejects with gone', async () => {
  const body = new PassThrough()
  const taken = Promise.withResolvers<void>()
  const reading = new BodyReading(
    { body, isKnown: true },
    { idleTimeoutMs, take: () => taken.promise },
  )
  let isDone = false
  const failed = isBodyError(reading, 'gone').then(() => {
    isDone = true
  })
  body.write('ab')
  await turnOfTheLoop()
  body.destroy()
  for (let turn = 0; turn < 10; turn++) await turnOfTheLoop()
  assert.equal(isDone, false)
  taken.resolve()
  await failed
})

test('BodyReading rejects with idle when no bytes arrive for that long, not while one is taken', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const body = new PassThrough()
  const taken = Promise.withResolvers<void>()
  const reading = new BodyReading(
    { body, isKnown: true },
    { idleTimeoutMs: 20, take: () => taken.promise },
  )
  t.mock.timers.tick(19)
  body.write('ab')
  await turnOfTheLoop()
  t.mock.timers.tick(1_000)
  taken.resolve()
  await turnOfTheLoop()
  t.mock.timers.tick(19)
  assert.equal(body.destroyed, false)
  const failed = isBodyError(reading, 'idle')
  t.mock.timers.tick(1)
  await failed
})

test('BodyReading reads what arrived while the process was suspended', async (t) => {
  const server = createServer().listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  t.after(() => client.destroy())
  const [body] = (await once(server, 'connection')) as [Socket]
  const pieces: Buffer[] = []
  const take = (bytes: Buffer) => {
    pieces.push(bytes)
    return undefined
  }
  const reading = new BodyReading({ body, isKnown: true }, { idleTimeoutMs: 500, take })
  client.write('late')
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600)
  client.end()
  await reading.done
  assert.equal(Buffer.concat(pieces).toString(), 'late')
})

test('Bodies of strangers that are gathered hold 32 MiB together: the oldest makes room', async () => {
  const mebibyte = Buffer.alloc(1024 * 1024)
  const begin = (isKnown: boolean, isGathered = true) => {
    const body = new PassThrough({ highWaterMark: 2 * mebibyte.length })
    const options = { idleTimeoutMs, isGathered, take: () => undefined }
    const reading = new BodyReading({ body, isKnown }, options)
    body.write(mebibyte)
    return reading
  }
  const owners = Array.from({ length: 40 }, () => begin(true))
  const streamed = Array.from({ length: 40 }, () => begin(false, false))
  const released = begin(false)
  await turnOfTheLoop()
  released.release()
  const strangers = Array.from({ length: 34 }, () => begin(false))
  const isFailed = await Promise.all(
    strangers.map(({ done }) =>
      Promise.race([done.catch(() => true), turnOfTheLoop().then(() => false)]),
    ),
  )
  assert.deepEqual(isFailed, [true, true, ...Array(32).fill(false)])
  assert.ok(strangers[0])
  await isBodyError(strangers[0], 'late')
  for (const reading of [...owners, ...streamed, released, ...strangers]) reading.stop()
})

test('The body of a stranger has half a minute and a second for each KiB', async (t) => {
  let nowMs = 0
  t.mock.method(performance, 'now', () => nowMs)
  for (const [isKnown, seconds, isLate] of [
    [false, 38, false],
    [false, 39, true],
    [true, 9_000, false],
  ] as const) {
    const body = new PassThrough()
    const reading = new BodyReading({ body, isKnown }, { idleTimeoutMs, take: () => undefined })
    nowMs += seconds * 1_000
    body.end(Buffer.alloc(8 * 1024 + 1))
    if (isLate) await isBodyError(reading, 'late')
    else await reading.done
  }
})

test('Time in which the piece of a stranger is taken does not count', async (t) => {
  let nowMs = 0
  t.mock.method(performance, 'now', () => nowMs)
  const body = new PassThrough()
  const take = async () => {
    nowMs += 60_000
  }
  const reading = new BodyReading({ body, isKnown: false }, { idleTimeoutMs, take })
  body.write('a')
  body.end('b')
  await reading.done
})
