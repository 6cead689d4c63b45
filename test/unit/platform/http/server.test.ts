import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import type { HttpRequest } from '../../../../src/platform/http/message.ts'
import { startServer, text } from './http-server-fixture.ts'

test('A request reaches the handler byte for byte', async (t) => {
  let seen: HttpRequest | undefined
  const { connect } = await startServer(t, async (request) => {
    seen = request
    return text('ok')
  })
  const client = await connect()
  client.write(
    'GET /b/a/../%2f//k+%E9?x=%zz&x HTTP/1.1\r\nHost: h\r\nX-A: 1\r\nx-a:  \xe9 \r\n\r\n',
  )
  await client.until('ok')
  assert.equal(seen?.rawPath, '/b/a/../%2f//k+%E9')
  assert.equal(seen.rawQuery, 'x=%zz&x')
  assert.deepEqual(seen.rawHeaders, ['Host', 'h', 'X-A', '1', 'x-a', '\xe9'])
  assert.equal(seen.remoteAddress, '127.0.0.1')
  assert.equal(seen.isSecure, false)
  assert.match(seen.id, /^[0-9A-F]{16}$/)
})

test('A request target in absolute form is served as its path', async (t) => {
  const { connect } = await startServer(t, async (r) => text(`[${r.rawPath}|${r.rawQuery}]`))
  const client = await connect()
  client.write('GET http://other:1/b/k?list HTTP/1.1\r\nHost: h\r\n\r\n')
  await client.until('[/b/k|list]')
})

for (const [request, fault] of [
  ['OPTIONS * HTTP/1.1\r\nHost: h', 'invalid-target'],
  ['GET / HTTP/1.1\r\nX: y', 'malformed'],
  ['GET / HTTP/1.1\r\nHost: a\r\nhost: b', 'malformed'],
  ['PUT / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip, chunked', 'unknown-coding'],
] as const) {
  test(`A request is refused as ${fault}: ${JSON.stringify(request)}`, async (t) => {
    const { connect, outcomes, finished } = await startServer(t, async () => text('handler'))
    const client = await connect()
    client.write(`${request}\r\n\r\n`)
    await client.until(`fault ${fault}`)
    await finished(1)
    assert.equal(outcomes[0]?.status, 400)
  })
}

for (const [name, bytes, fault] of [
  [
    'a header section over 64 KiB',
    `GET / HTTP/1.1\r\nHost: h\r\nX: ${'x'.repeat(400_000)}\r\n\r\n`,
    'headers-too-large',
  ],
  ['an unknown method', 'BREW /b HTTP/1.1\r\nHost: h\r\n\r\n', 'unknown-method'],
  ['bytes that are not HTTP', '\0\0\0\0\r\n\r\n', 'unknown-method'],
  ['a TLS handshake', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 'tls-on-http-port'],
  [
    'a raw byte above 0x7F in the target',
    'GET /\xe9 HTTP/1.1\r\nHost: h\r\n\r\n',
    'invalid-target',
  ],
  ['a raw NUL in the target', 'GET /a\0b HTTP/1.1\r\nHost: h\r\n\r\n', 'invalid-target'],
  ['a header line without colon', 'GET / HTTP/1.1\r\nHost h\r\n\r\n', 'malformed'],
  [
    'two different lengths',
    'PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
    'malformed',
  ],
] as const) {
  test(`The parser refuses ${name} with a reply that the client can read`, async (t) => {
    const { connect } = await startServer(t, async () => text('handler'))
    const client = await connect()
    client.write(bytes)
    const received = await client.until(`fault ${fault}`)
    assert.match(received, /^HTTP\/1\.1 400 Bad Request\r\nx-amz-request-id: [0-9A-F]{16}\r\n/)
    assert.match(received, /\r\nConnection: close\r\n/)
    client.socket.end()
    await client.closed()
  })
}

test('A client that asks for a tunnel and resets the connection does no harm', async (t) => {
  const { connect } = await startServer(t, async () => text('handler'))
  const client = await connect()
  client.write('CONNECT h:1 HTTP/1.1\r\nHost: h\r\n\r\n')
  await client.until('fault unknown-method')
  client.socket.resetAndDestroy()
  const other = await connect()
  other.write('GET / HTTP/1.1\r\nHost: h\r\n\r\n')
  await other.until('handler')
})

test('A broken body is answered while its handler still reads it', async (t) => {
  let isAborted = false
  const { connect } = await startServer(
    t,
    (request) =>
      new Promise((resolve) => {
        request.body.resume()
        request.signal.addEventListener('abort', () => {
          isAborted = true
          resolve(text('late'))
        })
      }),
  )
  const client = await connect()
  client.write('PUT / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n')
  const received = await client.until('fault malformed')
  client.socket.end()
  await client.closed()
  assert.equal(isAborted, true)
  assert.equal(received.includes('late'), false)
})

test('A request that runs while garbage follows it gets its own reply, and the connection closes', async (t) => {
  const { connect } = await startServer(t, async () => {
    // The parser reads the garbage in the same turn as the request.
    await turnOfTheLoop()
    return text('handler')
  })
  const client = await connect()
  client.write('GET / HTTP/1.1\r\nHost: h\r\n\r\nGARBAGE\r\n\r\n')
  const received = await client.closed()
  assert.match(received, /^HTTP\/1.1 200 /)
  assert.match(received, /Connection: close/)
  assert.match(received, /handler$/)
})

test('100 Continue is sent when the handler accepts the body, once', async (t) => {
  const { connect } = await startServer(t, async (request) => {
    request.acceptBody()
    request.acceptBody()
    let size = 0
    for await (const chunk of request.body) size += (chunk as Uint8Array).length
    request.acceptBody()
    return text(`read ${size}`)
  })
  const client = await connect()
  client.write('PUT /b/k HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n')
  assert.equal(await client.until('\r\n\r\n'), 'HTTP/1.1 100 Continue\r\n\r\n')
  client.write('12345')
  const received = await client.until('read 5')
  assert.equal(received.split('100 Continue').length, 2)
  client.write('PUT /b/k HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\n123')
  await client.until('read 3')
})

test('A refusal instead of 100 Continue closes the connection', async (t) => {
  const { connect } = await startServer(t, async () => text('no', 403))
  const client = await connect()
  client.write('PUT /b/k HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n')
  const received = await client.until('no')
  assert.match(received, /^HTTP\/1\.1 403 Forbidden\r\n/)
  assert.match(received, /Connection: close/)
  await client.closed()
})

for (const value of ['', 'something-else', '200-ok']) {
  test(`The expectation ${JSON.stringify(value)} is ignored`, async (t) => {
    const { connect } = await startServer(t, async (request) => {
      request.acceptBody()
      let size = 0
      for await (const chunk of request.body) size += (chunk as Uint8Array).length
      return text(`read ${size}`)
    })
    const client = await connect()
    client.write(`PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nExpect: ${value}\r\n\r\nab`)
    assert.match(await client.until('read 2'), /^HTTP\/1\.1 200 OK/)
  })
}

test('A handler that rejects is answered as an internal fault', async (t) => {
  const { connect, outcomes, finished } = await startServer(t, async () => {
    throw new Error('bug')
  })
  const client = await connect()
  client.write('GET / HTTP/1.1\r\nHost: h\r\n\r\n')
  await client.until('fault internal')
  await finished(1)
  assert.equal(outcomes[0]?.status, 500)
  assert.match(String(outcomes[0]?.failure), /bug/)
})

test('The signal aborts when the client disconnects while the handler works', async (t) => {
  const { connect, outcomes, finished } = await startServer(
    t,
    (request) =>
      new Promise((resolve) => {
        request.signal.addEventListener('abort', () => resolve(text('gone')))
      }),
  )
  const client = await connect()
  client.write('GET / HTTP/1.1\r\nHost: h\r\n\r\n')
  client.socket.resetAndDestroy()
  await finished(1)
  assert.equal(outcomes[0]?.isAborted, true)
  assert.equal(outcomes[0]?.bytesSent, 0)
})

test('The signal of a request is aborted if the client has already disconnected', async (t) => {
  const { connect, finished, outcomes } = await startServer(t, async (request) => {
    await new Promise((resolve) => request.body.once('close', resolve))
    return text(String(request.signal.aborted))
  })
  const client = await connect()
  client.write('PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\n')
  client.socket.resetAndDestroy()
  await finished(1)
  assert.equal(outcomes[0]?.isAborted, true)
})

test('Pipelined requests are answered in order', async (t) => {
  const { connect } = await startServer(t, async (request) => {
    if (request.rawPath === '/1') await new Promise((resolve) => setImmediate(resolve))
    return text(`<${request.rawPath}>`)
  })
  const client = await connect()
  client.write('GET /1 HTTP/1.1\r\nHost: h\r\n\r\nGET /2 HTTP/1.1\r\nHost: h\r\n\r\n')
  const received = await client.until('</2>')
  assert.ok(received.indexOf('</1>') < received.indexOf('</2>'))
})

test('Pipelined requests are served one at a time, so that one connection holds one file open', async (t) => {
  let running = 0
  let mostAtOnce = 0
  const { connect } = await startServer(t, async (request) => {
    running += 1
    mostAtOnce = Math.max(mostAtOnce, running)
    await new Promise((resolve) => setImmediate(resolve))
    running -= 1
    return text(`<${request.rawPath}>`)
  })
  const client = await connect()
  const paths = Array.from({ length: 60 }, (_, index) => `/${index}`)
  client.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: h\r\n\r\n`).join(''))
  const received = await client.until('</59>')
  assert.deepEqual(
    [...received.matchAll(/<(.*)>/g)].map(([, path]) => path),
    paths,
  )
  assert.equal(mostAtOnce, 1)
})

test('A connection with a hundred waiting requests is closed', async (t) => {
  const { connect, finished, outcomes } = await startServer(
    t,
    (request) =>
      new Promise((resolve) => {
        request.signal.addEventListener('abort', () => resolve(text('gone')))
      }),
  )
  const client = await connect()
  client.write('GET / HTTP/1.1\r\nHost: h\r\n\r\n'.repeat(100))
  assert.equal(await client.closed(), '')
  await finished(1)
  assert.equal(outcomes.length, 1)
})

test('A pipelined request whose client leaves before its turn is not served', async (t) => {
  const served: string[] = []
  const { connect, outcomes, finished } = await startServer(t, (request) => {
    served.push(request.rawPath)
    return new Promise((resolve) => {
      request.signal.addEventListener('abort', () => resolve(text('gone')))
    })
  })
  const client = await connect()
  client.write('GET /1 HTTP/1.1\r\nHost: h\r\n\r\nGET /2 HTTP/1.1\r\nHost: h\r\n\r\n')
  client.socket.resetAndDestroy()
  await finished(1)
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(served, ['/1'])
  assert.equal(outcomes[0]?.isAborted, true)
})

test('A request behind a reply that closes the connection is not served', async (t) => {
  let release: () => void = () => undefined
  const served: string[] = []
  const { connect, server } = await startServer(t, async (request) => {
    served.push(request.rawPath)
    await new Promise<void>((resolve) => {
      release = resolve
    })
    return text('done')
  })
  const client = await connect()
  client.write('GET /1 HTTP/1.1\r\nHost: h\r\n\r\nDELETE /2 HTTP/1.1\r\nHost: h\r\n\r\n')
  while (served.length === 0) await new Promise((resolve) => setImmediate(resolve))
  const stopped = server.stop(10_000)
  release()
  assert.match(await client.closed(), /Connection: close[\s\S]*done$/)
  assert.equal(await stopped, true)
  assert.deepEqual(served, ['/1'])
})

test('A port in use is reported with its code', async (t) => {
  const { port } = await startServer(t, async () => text('one'))
  const second = startServer(t, async () => text('two'))
  const { server } = await second
  await assert.rejects(server.listen({ port, host: '127.0.0.1' }), {
    code: /EADDRINUSE|ERR_SERVER_ALREADY_LISTEN/,
  })
})
