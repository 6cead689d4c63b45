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
  ['a method nobody knows', 'BREW /photos HTTP/1.1\r\nHost: h\r\n\r\n', 405, 'MethodNotAllowed'],
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

test('A refused upload of 50 MB: the client can read why, and the connection ends', async (t) => {
  const gateway = await startGatewayInProcess(t)
  const client = await connect(t, gateway)
  client.write('PUT /photos/big HTTP/1.1\r\nHost: h\r\nContent-Length: 50000000\r\n\r\n')
  client.write(Buffer.alloc(10_000_000))
  const received = await client.until('</Error>')
  assert.match(received, /^HTTP\/1\.1 403 /)
  await client.closed()
})

test('A refused upload that waits for 100 Continue gets its refusal instead', async (t) => {
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

test('A client that vanishes in its upload changes nothing and is marked in the log', async (t) => {
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
