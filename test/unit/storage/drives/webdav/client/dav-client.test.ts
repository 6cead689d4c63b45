import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { describe, it, type TestContext } from 'node:test'
import {
  DriveError,
  type DriveErrorKind,
} from '../../../../../../src/storage/drives/drive-error.ts'
import { BodyPipe } from '../../../../../../src/storage/drives/webdav/client/body-pipe.ts'
import {
  DavClient,
  type DavClientOptions,
  type DavRequest,
} from '../../../../../../src/storage/drives/webdav/client/dav-client.ts'

/** A client of a server with this handler. */
async function clientOf(
  t: TestContext,
  listener: RequestListener,
  options: Partial<DavClientOptions> = {},
): Promise<DavClient> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = new DavClient({
    origin,
    user: 'me',
    password: 'hush:é',
    firstPauseMs: 5,
    ...options,
  })
  t.after(async () => {
    await client.close()
    server.closeAllConnections()
    server.close()
  })
  return client
}

/** Answers with each of these in turn, then always with the last one. */
function answers(...all: readonly (number | 'drop')[]) {
  const seen: string[] = []
  const listener: RequestListener = (request, response) => {
    const answer = all[Math.min(seen.length, all.length - 1)] ?? 200
    seen.push(request.method ?? '')
    request.resume()
    if (answer === 'drop') request.socket.destroy()
    else response.writeHead(answer, answer === 429 ? { 'retry-after': '0' } : {}).end('text')
  }
  return { seen, listener }
}

const get: DavRequest = { method: 'GET', target: '/', isRepeatable: true }

function isKind(kind: DriveErrorKind) {
  return (error: unknown) => {
    assert.ok(error instanceof DriveError, String(error))
    assert.equal(error.kind, kind)
    assert.doesNotMatch(`${error.message} ${error.stack}`, /hush/)
    return true
  }
}

describe('DavClient', () => {
  it('sends the credentials, and disables compression', async (t) => {
    const client = await clientOf(t, (request, response) => {
      const { authorization, 'accept-encoding': encoding } = request.headers
      const credentials = Buffer.from(authorization?.slice('Basic '.length) ?? '', 'base64')
      response.end(`${credentials} ${encoding}`)
    })
    assert.equal((await client.ask(get)).text, 'me:hush:é identity')
  })

  it('calls beforeAttempt before each attempt', async (t) => {
    const { seen, listener } = answers(423)
    const client = await clientOf(t, listener)
    let attempts = 0
    const beforeAttempt = () => {
      if (++attempts === 3) throw new DriveError('busy', 'the lease is lost')
    }
    const asked = client.ask({ method: 'MOVE', target: '/', beforeAttempt })
    await assert.rejects(asked, /the lease is lost/)
    assert.deepEqual(seen, ['MOVE', 'MOVE'])
  })

  it('retries while the server is busy or briefly unreachable', async (t) => {
    const { seen, listener } = answers(503, 429, 423, 'drop', 502, 207)
    const client = await clientOf(t, listener)
    assert.equal((await client.ask(get)).status, 207)
    assert.equal(seen.length, 6)
    assert.deepEqual(client.statistics().retries, { rate: 3, server: 1, network: 1 })
  })

  it('does not repeat requests that may have been executed', async (t) => {
    for (const answer of [504, 'drop'] as const) {
      const { seen, listener } = answers(answer, 201)
      const client = await clientOf(t, listener)
      const move = client.ask({ method: 'MOVE', target: '/' })
      if (answer === 'drop') await assert.rejects(move, isKind('unavailable'))
      else assert.equal((await move).status, 504)
      assert.equal(seen.length, 1)
    }
  })

  it('does not repeat a request whose body was consumed', async (t) => {
    const { seen, listener } = answers(503, 201)
    const client = await clientOf(t, listener)
    const body = Readable.from([Buffer.from('x')], { objectMode: false })
    assert.equal((await client.ask({ method: 'PUT', target: '/', body })).status, 503)
    assert.equal(
      (await client.ask({ method: 'PUT', target: '/', body: Buffer.from('x') })).status,
      201,
    )
    assert.deepEqual(seen, ['PUT', 'PUT'])
  })

  it('sends no more requests after its credentials were refused', async (t) => {
    const { seen, listener } = answers(401)
    const client = await clientOf(t, listener)
    for (let time = 0; time < 5; time++) await assert.rejects(client.ask(get), isKind('denied'))
    assert.equal(seen.length, 1)
  })

  it('keeps its pause after refused credentials when the clock is set back', async (t) => {
    const { listener } = answers(401, 200)
    const client = await clientOf(t, listener)
    const [clock, age] = [Date.now(), performance.now()]
    const now = t.mock.method(Date, 'now', () => clock + 3_600_000)
    await assert.rejects(client.ask(get), isKind('denied'))
    // A second mock of the same function would stay after the test.
    now.mock.mockImplementation(() => clock)
    t.mock.method(performance, 'now', () => age + 60_000)
    assert.equal((await client.ask(get)).status, 200)
  })

  it('answers short calls while the maximum number of bodies is transferred slowly', async (t) => {
    const client = await clientOf(
      t,
      (request, response) => {
        // Uploads are read as slowly as they arrive, and a download never ends.
        if (request.method === 'GET' && request.url === '/large') response.write('x')
        else if (request.method !== 'PUT') response.end('text')
      },
      { connectionWaitMs: 50 },
    )
    const pipes = Array.from({ length: 24 }, () => {
      const headers = { 'content-length': '1000000' }
      return new BodyPipe((body) => client.ask({ method: 'PUT', target: '/', body, headers }))
    })
    const large: DavRequest = { ...get, target: '/large' }
    const bodies = await Promise.all(Array.from({ length: 48 }, () => client.send(large)))
    assert.equal((await client.ask({ ...get, method: 'PROPFIND' })).status, 200)
    assert.equal((await client.ask({ ...get, limiter: 'calls' })).status, 200)
    const waiting = client.send(large)
    assert.equal(client.statistics().queues?.downloads, 1)
    await assert.rejects(waiting, isKind('busy'))
    const body = Readable.from([Buffer.from('x')], { objectMode: false })
    await assert.rejects(client.ask({ method: 'PUT', target: '/', body }), isKind('busy'))
    const [first] = bodies
    assert.ok(first)
    const closed = new Promise((resolve) => first.body.once('close', resolve))
    first.body.destroy()
    await closed
    await assert.doesNotReject(client.send(large))
    await Promise.all(pipes.map((pipe) => pipe.abort()))
  })

  it('loses no connection to a request that is no longer sent', async (t) => {
    const client = await clientOf(t, answers(200).listener, { connectionWaitMs: 50 })
    const lost = new DriveError('busy', 'the lease is lost')
    for (let time = 0; time < 100; time++) {
      const beforeAttempt = () => {
        throw lost
      }
      await assert.rejects(client.ask({ ...get, method: 'MOVE', beforeAttempt }), lost)
    }
    assert.equal((await client.ask({ ...get, method: 'MOVE' })).status, 200)
  })

  it('does not follow redirects', async (t) => {
    const client = await clientOf(t, (_request, response) => {
      response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end()
    })
    assert.equal((await client.ask(get)).status, 307)
  })

  it('ends with the signal, also while it waits, and on close', async (t) => {
    const client = await clientOf(t, answers(503).listener)
    const reason = new RangeError('the client left')
    const controller = new AbortController()
    const asking = client.ask({ ...get, signal: controller.signal })
    setTimeout(() => controller.abort(reason), 20)
    await assert.rejects(asking, reason)
    const closing = assert.rejects(client.ask(get), isKind('unavailable'))
    await client.close()
    await closing
  })
})

describe('BodyPipe', () => {
  const length = 30 * 1024 * 1024
  const chunk = Buffer.alloc(1024 * 1024, 'x')
  const put = (client: DavClient) =>
    new BodyPipe((body) =>
      client.ask({
        method: 'PUT',
        target: '/',
        body,
        headers: { 'content-length': String(length) },
      }),
    )

  it('sends the chunks, and returns the answer', async (t) => {
    let received = 0
    const client = await clientOf(t, (request, response) => {
      request.on('data', (data: Buffer) => {
        received += data.length
      })
      request.on('end', () => response.writeHead(201).end())
    })
    const pipe = put(client)
    for (let sent = 0; sent < length; sent += chunk.length) {
      assert.equal(await pipe.write(chunk), undefined)
    }
    assert.equal((await pipe.end()).status, 201)
    assert.equal(received, length)
  })

  it('returns an answer that arrives before the end of the body', async (t) => {
    const client = await clientOf(t, (_request, response) => response.writeHead(507).end('full'))
    const pipe = put(client)
    let answer = await pipe.write(chunk)
    for (let count = 1; answer === undefined && count < 30; count++)
      answer = await pipe.write(chunk)
    assert.equal(answer?.status, 507)
  })

  it('aborts so that the server does not take the body for complete', async (t) => {
    let outcome = ''
    const client = await clientOf(t, (request) => {
      request.resume()
      request.on('end', () => {
        outcome = 'whole'
      })
      request.on('error', () => {
        outcome = 'broken'
      })
    })
    const pipe = put(client)
    await pipe.write(chunk)
    await pipe.write(chunk)
    await pipe.abort()
    await assert.rejects(pipe.write(chunk))
    while (outcome === '') await new Promise((resolve) => setImmediate(resolve))
    assert.equal(outcome, 'broken')
  })
})
