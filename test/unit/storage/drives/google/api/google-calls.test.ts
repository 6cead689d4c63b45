import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { DriveError } from '../../../../../../src/storage/drives/drive-error.ts'
import { GoogleNotFound } from '../../../../../../src/storage/drives/google/api/google-failure.ts'
import {
  fileJson,
  json,
  refusal,
  reset,
  type Step,
  secrets,
  startTestApi,
  status,
} from './scripted-google.ts'

test('a call is repeated with growing waits after transient errors', async (t) => {
  const { api, google, clock, notes } = await startTestApi(t)
  const garbage: Step = ({ response }) => void response.writeHead(200).end('<html>')
  google.play(
    status(503),
    reset,
    garbage,
    json(200, { name: 'no id' }),
    refusal(403, 'userRateLimitExceeded'),
    json(200, fileJson()),
  )
  assert.equal((await api.getFile('f1')).name, 'a.txt')
  assert.deepEqual(clock.waits, [375, 750, 1500, 3000, 6000])
  assert.deepEqual(api.statistics().retries, { rate: 1, server: 3, network: 1 })
  assert.match(notes.join('\n'), /^look up a file 1 375 503$/m)
  assert.match(notes.join('\n'), /^look up a file 5 6000 403 userRateLimitExceeded$/m)
})

test('a call fails when the next attempt would exceed its time limit, with a time to retry', async (t) => {
  const { api, google, clock } = await startTestApi(t, { retryForMs: 4000 })
  google.play(...Array.from({ length: 4 }, () => refusal(403, 'rateLimitExceeded')))
  await assert.rejects(api.getFile('f1'), (error) => {
    assert.ok(error instanceof DriveError)
    assert.deepEqual([error.kind, error.retryAfterSeconds], ['busy', 3])
    return true
  })
  assert.equal(google.asked.length, 4)
  // The others of this credential wait, too.
  const before = clock.waits.length
  google.play(json(200, fileJson()))
  await api.getFile('f1')
  assert.deepEqual(clock.waits.slice(before), [3000])
})

test('a call waits for Retry-After, and passes it on when it is too long', async (t) => {
  const { api, google, clock } = await startTestApi(t)
  google.play(status(503, { 'retry-after': '11' }), status(503, { 'retry-after': '120' }))
  await assert.rejects(api.about(), { kind: 'unavailable', retryAfterSeconds: 120 })
  assert.deepEqual(clock.waits, [11_000])
})

test('a 401 is answered with a fresh token, once', async (t) => {
  const { api, google } = await startTestApi(t)
  google.play(status(401), json(200, fileJson()))
  await api.getFile('f1')
  assert.deepEqual(
    google.asked.map(({ headers }) => headers.authorization),
    ['Bearer token-1', 'Bearer token-2'],
  )
  google.play(status(401), status(401))
  await assert.rejects(api.getFile('f1'), (error) => {
    assert.ok(error instanceof DriveError && error.kind === 'unavailable')
    assert.match(error.message, /bucketry connect google/)
    return true
  })
})

test('many calls that get 401 at once share one fresh token', async (t) => {
  const { api, google } = await startTestApi(t)
  const byToken: Step = ({ headers, response }) => {
    if (headers.authorization === 'Bearer token-1') response.writeHead(401).end()
    else response.end(JSON.stringify(fileJson()))
  }
  google.play(...Array.from({ length: 40 }, () => byToken))
  await Promise.all(Array.from({ length: 20 }, () => api.getFile('f1')))
  assert.equal(google.grants.length, 2)
})

test('reads continue while Google accepts no more uploads today', async (t) => {
  const { api, google, clock } = await startTestApi(t, { retryForMs: 2000 })
  // What 750 GB in a day look like.
  google.play(...Array.from({ length: 3 }, () => refusal(403, 'userRateLimitExceeded')))
  const upload = { id: 'f1', metadata: {}, bytes: Buffer.from('x') }
  await assert.rejects(api.uploadSmall(upload), { kind: 'busy' })
  const waits = clock.waits.length
  google.play(json(200, fileJson()))
  await api.getFile('f1')
  assert.equal(clock.waits.length, waits)
  google.play(({ response }) => void response.writeHead(200, { location: 'http://x/' }).end())
  await api.beginSession(upload)
  assert.equal(clock.waits.length, waits + 1)
})

test('a final refusal is not repeated', async (t) => {
  const { api, google } = await startTestApi(t)
  google.play(refusal(403, 'storageQuotaExceeded'))
  await assert.rejects(api.createFile({ id: 'n', name: 'x' }), { kind: 'full' })
  assert.equal(google.asked.length, 1)
})

test('a redirect is not followed', async (t) => {
  const { api, google } = await startTestApi(t)
  google.play(status(302, { location: `${google.origin}/elsewhere` }))
  await assert.rejects(api.getFile('f1'), { kind: 'unavailable' })
  assert.equal(google.asked.length, 1)
})

test('a response above the limit is not read to the end', async (t) => {
  const { api, google } = await startTestApi(t, { retryForMs: 0 })
  const piece = Buffer.alloc(1024 * 1024, 0x20)
  let written = 0
  google.play(({ response }) => {
    const more = () => {
      while (written < 500 && !response.destroyed) {
        written++
        if (!response.write(piece)) return
      }
    }
    response.on('drain', more).on('error', () => undefined)
    more()
  })
  await assert.rejects(api.getFile('f1'), { kind: 'unavailable' })
  assert.ok(written < 100, `${written} MiB`)
})

test('a signal ends a call in progress and a wait between attempts', async (t) => {
  const { api, google, clock } = await startTestApi(t)
  const stop = new AbortController()
  google.play(() => stop.abort(new Error('left')))
  await assert.rejects(api.getFile('f1', { signal: stop.signal }), /left/)
  const second = new AbortController()
  clock.wait = async () => {
    second.abort(new Error('left, too'))
    throw second.signal.reason
  }
  google.play(status(503))
  await assert.rejects(api.getFile('f1', { signal: second.signal }), /left, too/)
})

test('errors and retry notes contain no token, secret or session URL', async (t) => {
  const { api, google, notes } = await startTestApi(t, { retryForMs: 1000 })
  const sessionUrl = `${google.endpoints.upload}/files?upload_id=session-secret`
  const shown: string[] = []
  const fail = async (work: Promise<unknown>, ...steps: Step[]) => {
    google.play(...steps)
    await assert.rejects(work, (error) => {
      shown.push(inspect(error, { depth: 9 }), (error as Error).stack ?? '')
      return true
    })
  }
  await fail(api.getFile('f1'), status(503), reset)
  await fail(api.getFile('f1'), refusal(400, `see ${sessionUrl}`))
  await fail(api.querySession(sessionUrl), status(503), reset)
  const message = `upload ${sessionUrl} failed`
  await fail(
    api.querySession(sessionUrl),
    json(403, { error: { message, errors: [{ reason: 'x' }] } }),
  )
  for (const secret of ['token-1', 'session-secret', secrets.clientSecret, secrets.refreshToken]) {
    assert.ok(!`${shown}${notes}`.includes(secret), secret)
  }
})

test('an error page is not read to its end', async (t) => {
  const { api, google } = await startTestApi(t)
  google.play(({ response }) => void response.writeHead(404).end('x'.repeat(1_000_000)))
  await assert.rejects(api.getFile('f1'), GoogleNotFound)
  assert.equal(google.asked.length, 1)
})
