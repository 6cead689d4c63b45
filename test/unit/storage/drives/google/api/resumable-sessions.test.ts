import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  piecesFrom,
  type SessionChunk,
} from '../../../../../../src/storage/drives/google/api/resumable-sessions.ts'
import {
  collected,
  early,
  fileJson,
  json,
  refusal,
  reset,
  type Step,
  startTestApi,
  status,
} from './scripted-google.ts'

const kib256 = 256 * 1024
const bytesOf = (length: number) => Buffer.from(Array.from({ length }, (_, index) => index % 251))
const twoBlocks = bytesOf(2 * kib256)
const chunk: SessionChunk = { offset: 0, bytes: [twoBlocks], length: 2 * kib256, total: undefined }
const last: SessionChunk = { ...chunk, total: 2 * kib256 }
const held = (count: number) => status(308, count === 0 ? {} : { range: `bytes=0-${count - 1}` })
const done = json(200, fileJson({ id: 'done' }))

async function startSession(t: Parameters<typeof startTestApi>[0], options = {}) {
  const test = await startTestApi(t, options)
  const ranges = () => test.google.asked.map(({ headers }) => headers['content-range'])
  return { ...test, url: `${test.google.endpoints.upload}/files?upload_id=s1`, ranges }
}

test('sendChunk sends a chunk of an upload of unknown size', async (t) => {
  const { api, google, url, ranges } = await startSession(t)
  google.play(held(2 * kib256))
  assert.deepEqual(await api.sendChunk(url, chunk), { kind: 'open', persisted: 2 * kib256 })
  assert.deepEqual(ranges(), ['bytes 0-524287/*'])
  assert.deepEqual(google.asked[0]?.body, twoBlocks)
  assert.equal(google.asked[0]?.headers['content-length'], '524288')
  assert.equal(google.asked[0]?.headers['transfer-encoding'], undefined)
})

test('sendChunk resolves with the file at the end', async (t) => {
  const { api, google, url, ranges } = await startSession(t)
  google.play(done)
  const state = await api.sendChunk(url, last)
  assert.ok(state.kind === 'done' && state.file.id === 'done')
  assert.deepEqual(ranges(), ['bytes 0-524287/524288'])
})

test('sendChunk continues from what Drive kept, not from what was sent', async (t) => {
  const { api, google, url, ranges } = await startSession(t)
  google.play(held(kib256), done)
  assert.equal((await api.sendChunk(url, last)).kind, 'done')
  assert.deepEqual(ranges(), ['bytes 0-524287/524288', 'bytes 262144-524287/524288'])
  assert.deepEqual(google.asked[1]?.body, twoBlocks.subarray(kib256))
})

test('sendChunk continues within a later piece of the chunk', async (t) => {
  const { api, google, url, ranges } = await startSession(t)
  google.play(held(5 * kib256), held(6 * kib256))
  const pieces = [twoBlocks.subarray(0, 100), twoBlocks.subarray(100)]
  const state = await api.sendChunk(url, { ...chunk, offset: 4 * kib256, bytes: pieces })
  assert.deepEqual(state, { kind: 'open', persisted: 6 * kib256 })
  assert.deepEqual(ranges(), ['bytes 1048576-1572863/*', 'bytes 1310720-1572863/*'])
  assert.deepEqual(google.asked[1]?.body, twoBlocks.subarray(kib256))
})

const failures: readonly (readonly [string, Step])[] = [
  ['a reset', reset],
  [
    'a reset in the middle',
    early(({ request }) => void request.once('data', () => request.socket.resetAndDestroy())),
  ],
  ['503', status(503)],
  ['503 before the bytes are read', early(status(503))],
  ['429', status(429)],
  ['a rate limit', refusal(403, 'userRateLimitExceeded')],
  ['400, which says that it holds other bytes', refusal(400, 'badRequest')],
  ['401 in the middle', status(401)],
  ['a range that makes no sense', status(308, { range: 'bytes=7-9' })],
  ['half an answer', ({ response }) => void response.writeHead(200).end('{"id":"do')],
]
for (const [name, failure] of failures) {
  test(`sendChunk queries the session after ${name}`, async (t) => {
    const { api, google, url, ranges } = await startSession(t)
    google.play(failure, held(kib256), done)
    assert.equal((await api.sendChunk(url, last)).kind, 'done')
    assert.deepEqual(ranges().slice(-2), ['bytes */*', 'bytes 262144-524287/524288'])
    assert.deepEqual(google.asked.at(-1)?.body, twoBlocks.subarray(kib256))
  })

  test(`sendChunk finds the upload finished when the last response was lost to ${name}`, async (t) => {
    const { api, google, url, ranges } = await startSession(t)
    google.play(failure, done)
    const state = await api.sendChunk(url, last)
    assert.ok(state.kind === 'done' && state.file.id === 'done')
    assert.equal(ranges().at(-1), 'bytes */*')
  })
}

test('sendChunk sends all bytes again when Drive kept none', async (t) => {
  const { api, google, url } = await startSession(t)
  google.play(status(503), held(0), done)
  assert.equal((await api.sendChunk(url, last)).kind, 'done')
  assert.deepEqual(google.asked.at(-1)?.body, twoBlocks)
})

test('sendChunk ends the session when it has all bytes and is still open', async (t) => {
  const { api, google, url, ranges } = await startSession(t)
  google.play(held(2 * kib256), done)
  assert.equal((await api.sendChunk(url, last)).kind, 'done')
  assert.deepEqual(ranges(), ['bytes 0-524287/524288', 'bytes */524288'])
  assert.equal(google.asked[1]?.headers['content-length'], '0')
})

test('sendChunk without bytes only ends the session', async (t) => {
  const { api, google, url, ranges } = await startSession(t)
  google.play(done)
  const state = await api.sendChunk(url, { offset: 700, bytes: [], length: 0, total: 700 })
  assert.equal(state.kind, 'done')
  assert.deepEqual(ranges(), ['bytes */700'])
})

test('sendChunk fails when the session keeps no bytes', async (t) => {
  const { api, google, url, clock } = await startSession(t, { retryForMs: 5000 })
  google.play(...Array.from({ length: 20 }, () => held(0)))
  await assert.rejects(api.sendChunk(url, last), { kind: 'unavailable' })
  assert.deepEqual(clock.waits, [375, 750, 1500])
})

test('sendChunk restarts the time limit whenever the session has more bytes', async (t) => {
  const { api, google, url, clock } = await startSession(t, { retryForMs: 2000 })
  const eight = bytesOf(8 * kib256)
  for (let count = 1; count < 8; count++) google.play(status(503), held(count * kib256))
  google.play(done)
  const all = { offset: 0, bytes: [eight], length: 8 * kib256, total: 8 * kib256 }
  assert.equal((await api.sendChunk(url, all)).kind, 'done')
  assert.deepEqual(
    clock.waits,
    Array.from({ length: 7 }, () => 375),
  )
})

test('sendChunk returns the state when the session has lost bytes', async (t) => {
  const { api, google, url } = await startSession(t)
  google.play(held(kib256))
  const state = await api.sendChunk(url, { ...chunk, offset: 4 * kib256 })
  assert.deepEqual(state, { kind: 'open', persisted: kib256 })
  assert.equal(google.asked.length, 1)
})

for (const code of [404, 410, 499]) {
  test(`sendChunk and querySession return gone for ${code}`, async (t) => {
    const { api, google, url } = await startSession(t)
    google.play(status(code), status(code))
    assert.deepEqual(await api.sendChunk(url, last), { kind: 'gone' })
    assert.deepEqual(await api.querySession(url), { kind: 'gone' })
  })
}

test('sendChunk rejects with full at the end when the quota is used up', async (t) => {
  const { api, google, url } = await startSession(t)
  google.play(refusal(403, 'storageQuotaExceeded'))
  await assert.rejects(api.sendChunk(url, last), { kind: 'full' })
  assert.equal(google.asked.length, 1)
})

test('sendChunk rejects chunks that Drive would reject', async (t) => {
  const { api, url } = await startSession(t)
  const wrong: readonly SessionChunk[] = [
    { offset: 0, bytes: [bytesOf(9)], length: 9, total: undefined },
    { offset: 0, bytes: [], length: 0, total: undefined },
    { offset: 0, bytes: [bytesOf(9)], length: 9, total: 10 },
  ]
  for (const one of wrong) await assert.rejects(api.sendChunk(url, one), RangeError)
})

test('sendChunk sends a stream once, with its length, and returns what was kept', async (t) => {
  const { api, google, url, ranges } = await startSession(t)
  async function* stream() {
    yield twoBlocks.subarray(0, 1000)
    yield twoBlocks.subarray(1000)
  }
  google.play(held(2 * kib256))
  assert.deepEqual(await api.sendChunk(url, { ...chunk, bytes: stream() }), {
    kind: 'open',
    persisted: 2 * kib256,
  })
  assert.deepEqual(google.asked[0]?.body, twoBlocks)
  assert.equal(google.asked[0]?.headers['content-length'], '524288')
  google.play(reset, held(kib256))
  assert.deepEqual(await api.sendChunk(url, { ...chunk, bytes: stream() }), {
    kind: 'open',
    persisted: kib256,
  })
  assert.deepEqual(ranges(), ['bytes 0-524287/*', 'bytes 0-524287/*', 'bytes */*'])
})

test('sendChunk rejects with what a stream threw', async (t) => {
  const { api, google, url } = await startSession(t)
  async function* stream() {
    yield twoBlocks.subarray(0, 1000)
    throw Object.assign(new Error('the client left'), { code: 'ECONNRESET' })
  }
  google.play(held(0))
  await assert.rejects(api.sendChunk(url, { ...chunk, bytes: stream() }), /the client left/)
})

test('sendChunk ends the stream when Drive refuses it before its end', async (t) => {
  const { api, google, url } = await startSession(t)
  let isEnded = false
  async function* stream() {
    try {
      for (;;) yield twoBlocks.subarray(0, 65_536)
    } finally {
      isEnded = true
    }
  }
  google.play(early(refusal(403, 'storageQuotaExceeded')))
  const sent = api.sendChunk(url, { ...chunk, length: 400 * kib256, bytes: stream() })
  await assert.rejects(sent, { kind: 'full' })
  while (!isEnded) await new Promise(setImmediate)
})

test('sendChunk looks up the file when the last response is incomplete', async (t) => {
  const { api, google, url } = await startSession(t)
  google.play(json(200, { id: 'x', name: 'n' }), json(200, fileJson({ id: 'x' })))
  const state = await api.sendChunk(url, last)
  assert.ok(state.kind === 'done' && state.file.size === 3)
})

test('querySession returns how many bytes a session has, also before the first', async (t) => {
  const { api, google, url, ranges } = await startSession(t)
  google.play(held(0), held(kib256), status(503), done)
  assert.deepEqual(await api.querySession(url), { kind: 'open', persisted: 0 })
  assert.deepEqual(await api.querySession(url), { kind: 'open', persisted: kib256 })
  assert.equal((await api.querySession(url)).kind, 'done')
  assert.equal(ranges()[0], 'bytes */*')
  assert.equal(google.asked[0]?.headers['content-length'], '0')
})

test('cancelSession succeeds for every status of an ended session', async (t) => {
  const { api, google, url } = await startSession(t)
  for (const code of [499, 204, 404, 410, 400]) {
    google.play(status(code))
    await api.cancelSession(url)
  }
  assert.deepEqual([...new Set(google.asked.map(({ method }) => method))], ['DELETE'])
})

test('a session URL of another origin does not get the token', async (t) => {
  const { api } = await startSession(t)
  const elsewhere = await startTestApi(t)
  elsewhere.google.play(held(0))
  await api.querySession(`${elsewhere.google.origin}/other?upload_id=1`)
  assert.equal(elsewhere.google.asked[0]?.headers.authorization, undefined)
})

test('beginSession rejects when Drive returns no session URL', async (t) => {
  const { api, google } = await startTestApi(t)
  google.play(status(200))
  await assert.rejects(api.beginSession({ id: 'f1', metadata: {} }), { kind: 'unavailable' })
})

test('sendChunk uses the same connections for chunk after chunk', async (t) => {
  const { api, google, url } = await startSession(t)
  for (let count = 1; count <= 6; count++) google.play(held(2 * count * kib256))
  for (let offset = 0; offset < 12 * kib256; offset += 2 * kib256) {
    await api.sendChunk(url, { ...chunk, offset })
  }
  // One for the token; the pool opens a second one for chunks before the first is free again.
  assert.ok(google.connections() <= 3, `${google.connections()} connections`)
})

test('piecesFrom yields all bytes from the start on, however they are chunked', async () => {
  const chunks = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(chunks, fc.nat(400), async (given, start) => {
      const pieces = await collected(piecesFrom(given, start))
      assert.deepEqual(Buffer.concat(pieces), Buffer.concat(given).subarray(start))
    }),
  )
})

test('piecesFrom cuts into pieces of 1 MiB and copies nothing', async () => {
  const chunk = new Uint8Array(2.5 * 1024 * 1024)
  const pieces = await collected(piecesFrom([chunk], 7))
  assert.deepEqual(
    pieces.map(({ length }) => length),
    [1_048_576, 1_048_576, 524_281],
  )
  assert.ok(pieces.every(({ buffer }) => buffer === chunk.buffer))
})
