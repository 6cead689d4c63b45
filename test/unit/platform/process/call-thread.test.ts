import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CallThread } from '../../../../src/platform/process/call-thread.ts'

interface Request {
  readonly what: 'double' | 'throw' | 'exit'
  readonly bytes: ArrayBuffer
}

const script = new URL('./doubling-thread.ts', import.meta.url)

function requestOf(what: Request['what'], ...bytes: readonly number[]): Request {
  return { what, bytes: Uint8Array.from(bytes).buffer }
}

test('call returns each request its own result and moves transferred buffers', async (t) => {
  const thread = new CallThread<Request, Uint8Array>(script)
  t.after(() => thread.close())
  const one = requestOf('double', 1, 2)
  const answers = await Promise.all([
    thread.call(one, [one.bytes]),
    thread.call(requestOf('double', 3)),
  ])
  assert.deepEqual(answers, [Uint8Array.of(2, 4), Uint8Array.of(6)])
  assert.equal(one.bytes.byteLength, 0)
})

test('call rejects with the error code of the thread, which keeps running', async (t) => {
  const thread = new CallThread<Request, Uint8Array>(script)
  t.after(() => thread.close())
  await assert.rejects(thread.call(requestOf('throw')), { code: 'ENOENT' })
  assert.deepEqual(await thread.call(requestOf('double', 4)), Uint8Array.of(8))
})

test('call rejects when the thread ends, and the next call starts a new thread', async (t) => {
  const thread = new CallThread<Request, Uint8Array>(script)
  t.after(() => thread.close())
  const both = ['exit', 'double'] as const
  const outcomes = await Promise.allSettled(both.map((what) => thread.call(requestOf(what, 1))))
  assert.deepEqual(
    outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason.code),
    ['EIO', 'EIO'],
  )
  assert.deepEqual(await thread.call(requestOf('double', 5)), Uint8Array.of(10))
})

test('call rejects when the thread cannot start', async () => {
  const thread = new CallThread<Request, Uint8Array>(new URL('https://example.com/thread.ts'))
  const call = thread.call(requestOf('double', 1))
  await assert.rejects(call, { code: 'ERR_INVALID_URL_SCHEME' })
})

test('close rejects pending calls and may be called twice', async () => {
  const thread = new CallThread<Request, Uint8Array>(script)
  const waiting = assert.rejects(thread.call(requestOf('double', 1)), { code: 'EIO' })
  await thread.close()
  await thread.close()
  await waiting
})

test('a thread ends after being idle for five seconds', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const thread = new CallThread<Request, Uint8Array>(script)
  t.after(() => thread.close())
  let started = 0
  const count = () => {
    started += 1
  }
  process.on('worker', count)
  t.after(() => process.off('worker', count))
  for (const idleMs of [4_999, 4_999, 5_000, 0]) {
    assert.deepEqual(await thread.call(requestOf('double', 1)), Uint8Array.of(2))
    t.mock.timers.tick(idleMs)
  }
  assert.equal(started, 2)
})

test('a thread that is held keeps running until five seconds after its last holder', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const thread = new CallThread<Request, Uint8Array>(script)
  t.after(() => thread.close())
  let started = 0
  const count = () => {
    started += 1
  }
  process.on('worker', count)
  t.after(() => process.off('worker', count))
  const releases = [thread.hold(), thread.hold()]
  for (const release of [...releases, undefined]) {
    await thread.call(requestOf('double', 1))
    t.mock.timers.tick(60_000)
    release?.()
  }
  assert.equal(started, 1)
  await thread.call(requestOf('double', 1))
  assert.equal(started, 2)
})
