import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import {
  defaultLimits,
  GoogleHttp,
  type HttpLimits,
} from '../../../../../../src/storage/drives/google/api/google-http.ts'
import { TransientError } from '../../../../../../src/storage/drives/kit/cloud/retry-policy.ts'
import { sha256Of, testBytes } from '../../../../../support/test-bytes.ts'
import { collected, early, type Step, startScriptedGoogle, status } from './scripted-google.ts'

async function startHttp(t: TestContext, limits: Partial<HttpLimits> = {}) {
  const google = await startScriptedGoogle(t)
  const http = new GoogleHttp({ ...defaultLimits, ...limits })
  t.after(() => http.close())
  const get = (more = {}) =>
    http.send({ method: 'GET', url: `${google.origin}/x`, limiter: 'calls', ...more })
  return { google, http, get }
}

const troubleOf = (reason: string, message: RegExp) => (error: unknown) => {
  assert.ok(error instanceof TransientError, String(error))
  assert.equal(error.reason, reason)
  assert.match(error.message, message)
  return true
}
const silence: Step = () => undefined

test('GoogleHttp.send limits the wait for the head of a response', async (t) => {
  const headersMs = { calls: 50, uploads: 50, downloads: 50 }
  const { google, get } = await startHttp(t, { headersMs })
  google.play(silence)
  await assert.rejects(get(), troubleOf('network', /UND_ERR_HEADERS_TIMEOUT/))
})

test('GoogleHttp.send limits the wait for the body of a response', async (t) => {
  const { google, get } = await startHttp(t, { idleMs: 50 })
  google.play(({ response }) => void response.writeHead(200, { 'content-length': 9 }).write('half'))
  const reading = async () => await collected((await get({ limiter: 'downloads' })).chunks())
  await assert.rejects(reading, troubleOf('network', /UND_ERR_BODY_TIMEOUT/))
})

test('GoogleHttp.send limits the time of a whole call, even while bytes arrive', async (t) => {
  const { google, get } = await startHttp(t, { callMs: 120 })
  const drip: Step = ({ response }) => {
    const timer = setInterval(() => response.write(' '), 10)
    response.on('close', () => clearInterval(timer))
  }
  google.play(drip)
  await assert.rejects(async () => (await get()).text(1000), troubleOf('network', /in time/))
})

test('GoogleHttp.send reports a refused connection', async (t) => {
  const { http } = await startHttp(t)
  const url = 'http://127.0.0.1:1/'
  await assert.rejects(
    http.send({ method: 'GET', url, limiter: 'calls' }),
    troubleOf('network', /ECONNREFUSED/),
  )
})

test('GoogleHttp.send reuses connections and stays within the limiter', async (t) => {
  const connections = { calls: 2, uploads: 1, downloads: 1 }
  const { google, get } = await startHttp(t, { connections })
  let atOnce = 0
  let most = 0
  const together = Promise.withResolvers<void>()
  const counted: Step = async ({ response }) => {
    most = Math.max(most, ++atOnce)
    if (atOnce === 2) together.resolve()
    await together.promise
    atOnce--
    response.end('ok')
  }
  google.play(...Array.from({ length: 20 }, () => counted))
  const texts = await Promise.all(Array.from({ length: 20 }, async () => (await get()).text(10)))
  assert.equal(texts.join(''), 'ok'.repeat(20))
  assert.equal(most, 2)
  assert.equal(google.connections(), 2)
})

test('GoogleHttp.send fails when no connection becomes free, without effect on other limiters', async (t) => {
  const connections = { calls: 1, uploads: 1, downloads: 1 }
  const { google, get } = await startHttp(t, { connections, connectionWaitMs: 40 })
  google.play(silence, status(200))
  const stop = new AbortController()
  const held = get({ limiter: 'downloads', signal: stop.signal })
  await assert.rejects(get({ limiter: 'downloads' }), { name: 'DriveError', kind: 'busy' })
  assert.equal((await get()).status, 200)
  stop.abort(new Error('left'))
  await assert.rejects(held, /left/)
})

test('GoogleHttp.send stops waiting for a connection when its signal aborts', async (t) => {
  const { get } = await startHttp(t, { connections: { calls: 1, uploads: 1, downloads: 1 } })
  await assert.rejects(get({ signal: AbortSignal.abort(new Error('left')) }), /left/)
})

test('GoogleHttp.send rejects a stream of another length', async (t) => {
  const { google, http } = await startHttp(t)
  async function* stream() {
    yield Buffer.from('abc')
  }
  google.play(status(200))
  const sent = http.send({
    method: 'PUT',
    url: `${google.origin}/x`,
    limiter: 'uploads',
    body: { length: 2, chunks: stream() },
  })
  await assert.rejects(sent, { code: 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH' })
})

test('GoogleHttp.send releases its connection when the request cannot be sent', async (t) => {
  const connections = { calls: 1, uploads: 1, downloads: 1 }
  const { google, http, get } = await startHttp(t, { connections, connectionWaitMs: 40 })
  await assert.rejects(
    http.send({ method: 'GET', url: 'nowhere', limiter: 'calls' }),
    troubleOf('network', /ERR_INVALID_URL/),
  )
  google.play(status(200))
  assert.equal((await get()).status, 200)
})

test('GoogleHttp.close ends requests in progress', async (t) => {
  const { google, http, get } = await startHttp(t)
  google.play(() => void http.close())
  await assert.rejects(get(), { name: 'DriveError', kind: 'unavailable' })
})

test('a piece of a body may be overwritten once the next one is requested', async (t) => {
  // session-stream.ts fills blocks again that are four pieces behind.
  const { google, http } = await startHttp(t)
  const pieceBytes = 256 * 1024
  const content = testBytes('pieces', 40 * pieceBytes)
  const slowly: Step = async ({ request, response }) => {
    const received: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) {
      received.push(chunk)
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
    response.end(sha256Of(Buffer.concat(received)))
  }
  google.play(early(slowly))
  async function* pieces(): AsyncGenerator<Uint8Array> {
    const piece = Buffer.alloc(pieceBytes)
    for (let at = 0; at < content.length; at += pieceBytes) {
      content.copy(piece, 0, at)
      yield piece
      piece.fill(0xee)
    }
  }
  const answer = await http.send({
    method: 'PUT',
    url: `${google.origin}/x`,
    limiter: 'uploads',
    body: { length: content.length, chunks: pieces() },
  })
  assert.equal(await answer.text(100), sha256Of(content))
})
