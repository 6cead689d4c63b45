import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GoogleNotFound } from '../../../../../../src/storage/drives/google/api/google-failure.ts'
import { collected, refusal, reset, type Step, startTestApi, status } from './scripted-google.ts'

const text = async (body: AsyncIterable<Uint8Array>) =>
  Buffer.concat(await collected(body)).toString()
const whole =
  (content: string): Step =>
  ({ response }) => {
    response.writeHead(200, { 'content-length': content.length }).end(content)
  }
const part =
  (content: string, range: string): Step =>
  ({ response }) => {
    response
      .writeHead(206, { 'content-length': content.length, 'content-range': range })
      .end(content)
  }

test('download returns the whole file', async (t) => {
  const { api, google } = await startTestApi(t)
  google.play(whole('hello'))
  const { length, size, body } = await api.download('f1')
  assert.deepEqual([length, size, await text(body)], [5, 5, 'hello'])
  assert.equal(google.asked[0]?.headers.range, undefined)
  assert.equal(google.asked[0]?.url.searchParams.get('alt'), 'media')
})

test('download returns a range, cut at the end of the file', async (t) => {
  const { api, google } = await startTestApi(t)
  google.play(part('ell', 'bytes 1-3/5'), part('lo', 'bytes 3-4/5'))
  const first = await api.download('f1', { range: { start: 1, end: 4 } })
  assert.deepEqual([first.length, first.size, await text(first.body)], [3, 5, 'ell'])
  const second = await api.download('f1', { range: { start: 3, end: 100 } })
  assert.deepEqual([second.length, await text(second.body)], [2, 'lo'])
  assert.equal(google.asked[0]?.headers.range, 'bytes=1-3')
})

test('download requests one revision', async (t) => {
  const { api, google } = await startTestApi(t)
  google.play(whole('x'))
  const { body } = await api.download('f1', { revisionId: 'r1' })
  await text(body)
  assert.equal(google.asked[0]?.url.pathname, '/drive/v3/files/f1/revisions/r1')
})

test('download rejects bytes that were not requested', async (t) => {
  const { api, google } = await startTestApi(t, { retryForMs: 0 })
  const range = { start: 1, end: 4 }
  const compressed: Step = ({ response }) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end('zzz')
  }
  const wrong = [
    whole('hello'),
    part('hel', 'bytes 0-2/5'),
    part('ell', 'bytes 1-3/*'),
    status(206),
  ]
  for (const step of wrong) {
    google.play(step)
    await assert.rejects(api.download('f1', { range }), { kind: 'unavailable' })
  }
  google.play(compressed)
  await assert.rejects(api.download('f1'), { kind: 'unavailable' })
})

test('download rejects when the bytes break off', async (t) => {
  const { api, google } = await startTestApi(t)
  const breakOff: Step = ({ response }) => {
    response.writeHead(200, { 'content-length': 100 })
    response.write('half', () => response.destroy())
  }
  google.play(breakOff)
  const { body } = await api.download('f1')
  await assert.rejects(text(body), { kind: 'unavailable', retryAfterSeconds: 2 })
})

test('download acknowledges once that Drive flags a file as malware', async (t) => {
  const { api, google } = await startTestApi(t)
  google.play(refusal(403, 'cannotDownloadAbusiveFile'), whole('evil'))
  assert.equal(await text((await api.download('f1')).body), 'evil')
  const asked = google.asked.map(({ url }) => url.searchParams.get('acknowledgeAbuse'))
  assert.deepEqual(asked, [null, 'true'])
  google.play(refusal(403, 'cannotDownloadAbusiveFile'), refusal(403, 'cannotDownloadAbusiveFile'))
  await assert.rejects(api.download('f1'), { kind: 'denied' })
  assert.equal(google.asked.length, 4)
})

test('download retries transient errors and reports others by kind', async (t) => {
  const { api, google } = await startTestApi(t)
  google.play(status(500), reset, whole('x'))
  assert.equal(await text((await api.download('f1')).body), 'x')
  google.play(refusal(404, 'notFound'))
  await assert.rejects(api.download('f1'), GoogleNotFound)
  google.play(refusal(416, 'requestedRangeNotSatisfiable'))
  await assert.rejects(api.download('f1', { range: { start: 9, end: 10 } }), { kind: 'changed' })
  google.play(refusal(403, 'fileNotDownloadable'))
  await assert.rejects(api.download('f1'), { kind: 'denied' })
})

test('download ends with its signal, with close and with the iteration', async (t) => {
  const { api, google } = await startTestApi(t, {
    limits: { connections: { calls: 4, uploads: 1, downloads: 1 } },
  })
  const endless: Step = ({ response }) => {
    response.writeHead(200, { 'content-length': 1e9 })
    response.write(Buffer.alloc(100_000))
  }
  google.play(endless, endless, endless, whole('x'))
  const stop = new AbortController()
  const aborted = await api.download('f1', { signal: stop.signal })
  await assert.rejects(async () => {
    for await (const _chunk of aborted.body) stop.abort(new Error('left'))
  }, /left/)
  const unread = await api.download('f1')
  unread.close()
  unread.close()
  const left = await api.download('f1')
  for await (const _chunk of left.body) break
  // There is one connection: the others were given back.
  assert.equal(await text((await api.download('f1')).body), 'x')
})

test('download resumes the same revision where the bytes broke off', async (t) => {
  const { api, google, clock } = await startTestApi(t)
  const cut =
    (content: string, range: string): Step =>
    ({ response }) => {
      response.writeHead(206, { 'content-length': 100, 'content-range': range })
      response.write(content, () => response.destroy())
    }
  google.play(
    cut('ab', 'bytes 10-109/200'),
    status(503),
    cut('cd', 'bytes 12-109/200'),
    part('e'.repeat(96), 'bytes 14-109/200'),
  )
  const { body } = await api.download('f1', { revisionId: 'r1', range: { start: 10, end: 110 } })
  assert.equal(await text(body), `abcd${'e'.repeat(96)}`)
  const ranges = google.asked.map(({ headers }) => headers.range)
  assert.deepEqual(ranges, ['bytes=10-109', 'bytes=12-109', 'bytes=12-109', 'bytes=14-109'])
  assert.equal(clock.waits.length, 3)
})

test('download of a revision fails when no more bytes arrive', async (t) => {
  const { api, google } = await startTestApi(t, { retryForMs: 1000 })
  const nothing: Step = ({ response }) => {
    response.writeHead(200, { 'content-length': 100 })
    response.write('', () => response.destroy())
    response.flushHeaders()
  }
  const some: Step = ({ response }) => {
    response.writeHead(200, { 'content-length': 100 })
    response.write('ab', () => response.destroy())
  }
  const more: Step = ({ response }) => {
    response.writeHead(206, { 'content-length': 98, 'content-range': 'bytes 2-99/100' })
    response.flushHeaders()
    response.destroy()
  }
  google.play(some, more)
  await assert.rejects(text((await api.download('f1', { revisionId: 'r1' })).body), {
    kind: 'unavailable',
  })
  assert.equal(google.asked.length, 2)
  google.play(nothing, status(503), status(503), status(503))
  const { body } = await api.download('f1', { revisionId: 'r1' })
  await assert.rejects(text(body), { kind: 'unavailable' })
})

test('download rejects an empty range', async (t) => {
  const { api } = await startTestApi(t)
  await assert.rejects(api.download('f1', { range: { start: 5, end: 5 } }), RangeError)
})
