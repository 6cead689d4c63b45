import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { type GatewayInProcess, startGatewayInProcess } from '../support/gateway-in-process.ts'
import { RawConnection } from '../support/raw-connection.ts'
import { signHeaders } from '../support/signed-request.ts'

async function connect(t: TestContext, gateway: GatewayInProcess): Promise<RawConnection> {
  const connection = await RawConnection.open(gateway.port)
  t.after(() => connection.destroy())
  return connection
}

function signedHead(gateway: GatewayInProcess, method: string, target: string, more = ''): string {
  const { host, credentials } = gateway
  const headers = Object.entries(signHeaders({ method, target, host }, credentials))
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  return `${method} ${target} HTTP/1.1\r\n${lines}${more}\r\n`
}

for (const [title, request, status, code] of [
  [
    'headers of 100 KiB',
    `GET /photos HTTP/1.1\r\nHost: h\r\nX: ${'x'.repeat(100 * 1024)}\r\n\r\n`,
    400,
    'RequestHeaderSectionTooLarge',
  ],
  ['an unknown method', 'BREW /photos HTTP/1.1\r\nHost: h\r\n\r\n', 405, 'MethodNotAllowed'],
  [
    'a raw byte above 0x7F in the path',
    'GET /photos/\xe9 HTTP/1.1\r\nHost: h\r\n\r\n',
    400,
    'InvalidURI',
  ],
  ['no Host', 'GET /photos HTTP/1.1\r\n\r\n', 400, 'BadRequest'],
  ['CONNECT', 'CONNECT host:80 HTTP/1.1\r\nHost: h\r\n\r\n', 405, 'MethodNotAllowed'],
  ['two Hosts', 'GET /photos HTTP/1.1\r\nHost: h\r\nHost: other\r\n\r\n', 400, 'BadRequest'],
  [
    'a body in a transfer coding other than chunked',
    'PUT /photos/a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip, chunked\r\n\r\n',
    501,
    'NotImplemented',
  ],
  ['a TLS handshake', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400, 'BadRequest'],
  [
    'more than 1,000 header fields',
    `GET /photos HTTP/1.1\r\nHost: h\r\n${'a:\r\n'.repeat(1_000)}\r\n`,
    400,
    'RequestHeaderSectionTooLarge',
  ],
  ['something that is not HTTP', '\0\0\0\0\r\n\r\n', 405, 'MethodNotAllowed'],
] as const) {
  test(`A request with ${title} is answered ${status} ${code} in XML`, async (t) => {
    const gateway = await startGatewayInProcess(t)
    const client = await connect(t, gateway)
    client.write(request)
    const received = await client.until('</Error>')
    assert.match(received, new RegExp(`^HTTP/1\\.1 ${status} `))
    assert.match(received, /\r\nContent-Type: application\/xml\r\n/i)
    assert.ok(received.includes(`<Code>${code}</Code>`))
    const id = /x-amz-request-id: ([0-9A-F]{16})\r\n/.exec(received)?.[1]
    assert.ok(received.includes(`<RequestId>${id}</RequestId>`))
    const line = gateway.lines.find(({ requestId }) => requestId === id)
    assert.deepEqual([line?.status, line?.code], [status, code])
  })
}

test('A TLS client on the plain HTTP port gets an explanation, and the log warns', async (t) => {
  const gateway = await startGatewayInProcess(t)
  for (const level of [40, 30]) {
    const client = await connect(t, gateway)
    client.write('\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03')
    const received = await client.until('</Error>')
    assert.match(
      received,
      /<Message>This port speaks plain HTTP, but the client sent a TLS handshake/,
    )
    const line = gateway.lines.at(-1)
    assert.match(String(line?.reason), /^This port speaks plain HTTP/)
    // At most one warning per minute.
    assert.equal(line?.level, level)
  }
})

test('An upload that is cut off logs nothing about TLS', async (t) => {
  const gateway = await startGatewayInProcess(t)
  const client = await connect(t, gateway)
  client.write(`${signedHead(gateway, 'PUT', '/photos/k', 'Content-Length: 100\r\n')}ne`)
  client.socket.end()
  assert.match(await client.closed(), /<Code>IncompleteBody<\/Code>/)
  while (!gateway.lines.some((line) => line.aborted === true)) {
    await new Promise((resolve) => setImmediate(resolve))
  }
  const requests = gateway.lines.filter(({ status }) => status !== undefined)
  assert.deepEqual(
    requests.map(({ msg, code }) => [msg, code]),
    [['request', 'IncompleteBody']],
  )
  assert.doesNotMatch(JSON.stringify(gateway.lines), /TLS|https/)
})

test('A client that half-closes the connection after its upload gets the reply', async (t) => {
  const gateway = await startGatewayInProcess(t)
  const client = await connect(t, gateway)
  client.write(`${signedHead(gateway, 'PUT', '/photos/k', 'Content-Length: 3\r\n')}abc`)
  client.socket.end()
  assert.match(await client.closed(), /^HTTP\/1\.1 200 OK[\s\S]*ETag: /i)
})

for (const [target, form] of [
  ['/photos/k', /Content-Type: application\/xml[\s\S]*<Code>SlowDown<\/Code>/],
  ['/auth/login', /Content-Type: application\/json[\s\S]*\{"message":"The server has reached/],
  ['/v1/models', /Access-Control-Allow-Origin: \*[\s\S]*"type":"server_error"/i],
] as const) {
  test(`At the limit of connections ${target} is 503 in the format of its protocol`, async (t) => {
    const gateway = await startGatewayInProcess(t, {}, { maxConnections: 1 })
    const busy = await connect(t, gateway)
    busy.write(
      signedHead(gateway, 'PUT', '/photos/k', 'Content-Length: 3\r\nExpect: 100-continue\r\n'),
    )
    await busy.until('100 Continue')
    const extra = await connect(t, gateway)
    extra.write(`GET ${target} HTTP/1.1\r\nHost: h\r\n\r\n`)
    const received = await extra.closed()
    assert.match(received, /^HTTP\/1\.1 503 [\s\S]*Retry-After: 1\r\n/)
    assert.match(received, form)
    assert.ok(
      gateway.lines.some(({ level, maxConnections }) => level === 40 && maxConnections === 1),
    )
    busy.write('abc')
    await busy.until('200 OK')
  })
}

test('A login with a body that trickles in is ended after ten seconds', async (t) => {
  const gateway = await startGatewayInProcess(t, { DASHBOARD_PASSWORD: 'open sesame' })
  const client = await connect(t, gateway)
  client.write('POST /auth/login HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\n')
  const timer = setInterval(() => client.write(' '), 100)
  t.after(() => clearInterval(timer))
  await client.until('HTTP/1.1 408 ', 30_000)
  await client.closed()
})

test('A refused upload of 50 MB: the client can read why, and the connection ends', async (t) => {
  const gateway = await startGatewayInProcess(t)
  const client = await connect(t, gateway)
  client.write('PUT /photos/big HTTP/1.1\r\nHost: h\r\nContent-Length: 50000000\r\n\r\n')
  client.write(Buffer.alloc(10_000_000))
  const received = await client.until('</Error>')
  assert.match(received, /^HTTP\/1\.1 403 /)
  await client.closed()
})

test('A refused upload that waits for 100 Continue gets the refusal instead', async (t) => {
  const gateway = await startGatewayInProcess(t)
  const client = await connect(t, gateway)
  client.write(
    'PUT /photos/big HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n',
  )
  assert.match(await client.until('</Error>'), /^HTTP\/1\.1 403 /)
})

test('A refused small upload keeps the connection for the next request', async (t) => {
  const gateway = await startGatewayInProcess(t)
  const client = await connect(t, gateway)
  client.write('PUT /photos/small HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\n')
  await client.until('</Error>')
  client.write(`hello${signedHead(gateway, 'HEAD', '/photos')}`)
  await client.until('HTTP/1.1 200 OK')
})

test('A client that disconnects during its upload changes nothing and is marked in the log', async (t) => {
  const gateway = await startGatewayInProcess(t)
  const client = await connect(t, gateway)
  client.write(`${signedHead(gateway, 'PUT', '/photos/k', 'Content-Length: 3\r\n')}old`)
  await client.until('HTTP/1.1 200 OK')
  client.write(`${signedHead(gateway, 'PUT', '/photos/k', 'Content-Length: 100\r\n')}ne`)
  client.destroy()
  const reader = await connect(t, gateway)
  while (!gateway.lines.some((line) => line.aborted === true)) {
    await new Promise((resolve) => setImmediate(resolve))
  }
  reader.write(signedHead(gateway, 'GET', '/photos/k'))
  assert.match(await reader.until('\r\n\r\nold'), /Content-Length: 3\r\n/)
})

test('A bulk delete of more than 64 KiB that finds nothing leaves the connection open', async (t) => {
  const gateway = await startGatewayInProcess(t)
  const client = await connect(t, gateway)
  const keys = Array.from({ length: 1000 }, (_, index) => `${'long'.repeat(30)}-${index}`)
  const body = `<Delete>${keys.map((key) => `<Object><Key>${key}</Key></Object>`).join('')}</Delete>`
  const md5 = createHash('md5').update(body).digest('base64')
  const fields = `Content-MD5: ${md5}\r\nContent-Length: ${body.length}\r\n`
  client.write(signedHead(gateway, 'POST', '/photos?delete', fields) + body)
  const received = await client.until('</DeleteResult>')
  assert.match(received, /^HTTP\/1\.1 200 /)
  assert.doesNotMatch(received, /\r\nConnection: close\r\n/i)
})
