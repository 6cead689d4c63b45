/** S3 requests with a session of the dashboard (docs/decisions/0057-session-for-s3.md), through the whole gateway. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { before, describe, type TestContext, test } from 'node:test'
import { publicBucket, useContractGateway } from '../support/contract-gateway.ts'
import { startGatewayInProcess } from '../support/gateway-in-process.ts'
import { testBucket } from '../support/gateway-process.ts'
import { dashboardPassword, ManagementClient } from '../support/management-client.ts'
import { presignTarget } from '../support/signed-request.ts'

interface Sent {
  readonly method?: string
  /** Below the bucket, encoded. */
  readonly target?: string
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  readonly body?: string
}

/** Each request uses a new connection: workers take turns. */
async function send(url: string, { method = 'GET', target = '', headers = {}, body }: Sent) {
  const { hostname, port } = new URL(url)
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  const outgoing = httpRequest({
    ...{ method, hostname, port, path: `/${testBucket}${target}`, agent: false },
    headers: { ...length, ...headers },
  })
  outgoing.end(body)
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
  return { status: incoming.statusCode, headers: incoming.headers, text: await text(incoming) }
}

type Reply = Awaited<ReturnType<typeof send>>

function assertRefused(reply: Reply, isHead = false): void {
  assert.equal(reply.status, 403, reply.text)
  if (!isHead) assert.match(reply.text, /<Code>AccessDenied<\/Code>/)
}

/** Of the session that a token is for, as the reply to an S3 request says it. */
const isOver = ({ headers }: Reply) =>
  headers['www-authenticate'] === 'Bearer error="invalid_token"'

const settings = { DASHBOARD_PASSWORD: dashboardPassword }

describe('An S3 request with a session of the dashboard', () => {
  const gateway = useContractGateway(settings)
  let client: ManagementClient
  before(async () => {
    client = await ManagementClient.signIn(gateway().url)
  })

  const bearer = () => ({ authorization: `Bearer ${client.token}` })
  const use = ({ headers, ...sent }: Sent) =>
    send(gateway().url, { ...sent, headers: { ...bearer(), ...headers } })

  test('puts, gets, heads, copies, lists and deletes objects', async () => {
    const target = '/a%20b%2Bc/%C3%A9'
    const metadata = { 'x-amz-meta-made-by': 'caf\u00c3\u00a9' }
    const put = await use({ method: 'PUT', target, body: 'content', headers: metadata })
    assert.equal(put.status, 200, put.text)
    assert.equal((await use({ target })).text, 'content')
    const head = await use({ method: 'HEAD', target })
    assert.deepEqual([head.status, head.headers['content-length']], [200, '7'])
    const source = { 'x-amz-copy-source': `/${testBucket}${target}` }
    const copied = await use({ method: 'PUT', target: '/copy', headers: source })
    assert.match(copied.text, /<CopyObjectResult/)
    const listed = await use({ target: '?list-type=2' })
    assert.match(listed.text, /<KeyCount>2<\/KeyCount>/)
    const taken = { 'if-none-match': '*' }
    assert.equal((await use({ method: 'PUT', target, body: 'x', headers: taken })).status, 412)
    assert.equal((await use({ method: 'DELETE', target })).status, 204)
    const body = '<Delete><Object><Key>copy</Key></Object></Delete>'
    assert.match((await use({ method: 'POST', target: '?delete', body })).text, /<Deleted>/)
    assert.match((await use({ target: '?list-type=2' })).text, /<KeyCount>0<\/KeyCount>/)
  })

  test('carries a multipart upload: begin, part, list, complete, abort', async () => {
    const begin = async () => {
      const { text: begun } = await use({ method: 'POST', target: '/parts?uploads' })
      return /<UploadId>(.*?)<\/UploadId>/.exec(begun)?.[1] ?? ''
    }
    const uploadId = await begin()
    const part = `/parts?uploadId=${uploadId}&partNumber=1`
    const { headers } = await use({ method: 'PUT', target: part, body: 'part one' })
    const parts = await use({ target: `/parts?uploadId=${uploadId}` })
    assert.match(parts.text, /<PartNumber>1<\/PartNumber>/)
    const body = `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>${headers.etag}</ETag></Part></CompleteMultipartUpload>`
    const complete = await use({ method: 'POST', target: `/parts?uploadId=${uploadId}`, body })
    assert.match(complete.text, /<CompleteMultipartUploadResult/)
    assert.equal((await use({ target: '/parts' })).text, 'part one')
    const abort = `/parts?uploadId=${await begin()}`
    assert.equal((await use({ method: 'DELETE', target: abort })).status, 204)
  })

  test('is refused without a valid token, whatever the method', async () => {
    await use({ method: 'PUT', target: '/kept', body: 'kept' })
    const wrong = client.token.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))
    for (const authorization of [
      ...['Bearer', 'Bearer ', 'Bearer x', `Bearer ${wrong}`, `Bearer ${client.token}x`],
      ...[`Bearer ${client.token} x`, `Bearer "${client.token}"`, `Bearer ${client.token},`],
      ...[`Basic ${client.token}`, client.token, `Token ${client.token}`, `AWS ${client.token}`],
      ...[`AWS4-HMAC-SHA256 Bearer ${client.token}`, `Bearer, Bearer ${client.token}`],
    ]) {
      const headers = { authorization }
      for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'POST']) {
        const query = method === 'POST' ? '?uploads' : ''
        const reply = await send(gateway().url, { method, target: `/kept${query}`, headers })
        assertRefused(reply, method === 'HEAD')
      }
    }
    assert.equal((await use({ target: '/kept' })).text, 'kept')
  })

  test('accepts the scheme in any case, as the login does', async () => {
    const headers = { authorization: `bEaReR  ${client.token}` }
    assert.equal((await send(gateway().url, { target: '?list-type=2', headers })).status, 200)
  })

  test('is refused if the header is sent twice, even with the same token', async () => {
    const { authorization } = bearer()
    for (const other of [authorization, 'Bearer x', '']) {
      for (const values of [
        [authorization, other],
        [other, authorization],
      ]) {
        assertRefused(await send(gateway().url, { headers: { authorization: values } }))
      }
    }
  })

  test('is refused beside a signature or a part of one', async () => {
    const { host, credentials } = gateway()
    const path = `/${testBucket}/kept`
    const signed = presignTarget(
      { method: 'GET', target: path, host, expiresSeconds: 300 },
      credentials,
    )
    for (const target of [
      ...[signed.slice(`/${testBucket}`.length), '/kept?X-Amz-Signature=0', '/kept?x-amz-meta-a=b'],
      ...['/kept?X-Amz-Expires=300', '/kept?AWSAccessKeyId=a&Signature=b&Expires=9999999999'],
      '/kept?%58-amz-credential=a',
    ]) {
      assertRefused(await use({ target }))
    }
  })

  test('is refused from a page of another origin, whatever it sends', async () => {
    const { host } = gateway()
    const foreign = [
      ...['cross-site', 'same-site', 'anything'].map((site) => ({ 'sec-fetch-site': site })),
      ...['https://evil.example', 'null', `http://${host}.evil.example`, 'http://127.0.0.1:1'].map(
        (origin) => ({ origin }),
      ),
      { 'sec-fetch-site': 'cross-site', origin: `http://${host}` },
    ]
    for (const headers of foreign) {
      for (const method of ['GET', 'PUT', 'DELETE']) {
        assertRefused(await use({ method, target: '/kept', headers }))
      }
    }
    const own = [
      ...[{ 'sec-fetch-site': 'same-origin' }, { origin: `http://${host}` }],
      { origin: `http://${host}`, 'sec-fetch-site': 'same-origin' },
    ]
    for (const headers of own) assert.equal((await use({ target: '/kept', headers })).status, 200)
  })

  test('is not authenticated by anything in a cookie or a query', async () => {
    for (const sent of [
      { headers: { cookie: `authorization=Bearer ${client.token}; session=${client.token}` } },
      { target: `?authorization=Bearer%20${client.token}` },
      { target: `?access_token=${client.token}` },
      { headers: { 'proxy-authorization': `Bearer ${client.token}` } },
    ]) {
      assertRefused(await send(gateway().url, sent))
    }
  })

  test('ends with the session in all workers at once, and other sessions stay', async () => {
    const other = await ManagementClient.signIn(gateway().url)
    const headers = { authorization: `Bearer ${other.token}` }
    for (let turn = 0; turn < 4; turn++) {
      assert.equal((await send(gateway().url, { target: '/kept', headers })).status, 200)
    }
    const out = await fetch(`${gateway().url}/auth/logout`, { method: 'POST', headers })
    assert.equal(out.status, 204)
    for (let turn = 0; turn < 4; turn++) {
      for (const method of ['GET', 'HEAD', 'PUT', 'DELETE']) {
        const reply = await send(gateway().url, { method, target: '/kept', headers })
        assertRefused(reply, method === 'HEAD')
        assert.ok(isOver(reply), method)
      }
    }
    assert.equal((await use({ target: '/kept' })).text, 'kept')
  })

  test('has the rights of ACCESS_KEY and no more: other buckets and public ones', async () => {
    const at = (path: string, method = 'GET') =>
      fetch(`${gateway().url}${path}`, { method, headers: bearer() }).then(({ status }) => status)
    assert.equal(await at('/'), 200)
    assert.equal(await at(`/${publicBucket}?list-type=2`), 200)
    assert.equal(await at('/elsewhere?list-type=2'), 403)
    assert.equal(await at('/new-bucket', 'PUT'), 403)
    assert.equal(await at('/v1/models'), 200)
  })
})

async function signedIn(
  t: TestContext,
  more: Readonly<Record<string, string>> = {},
  now?: () => number,
) {
  const gateway = await startGatewayInProcess(t, { ...settings, ...more }, now && { now })
  const client = await ManagementClient.signIn(gateway.url)
  return { gateway, client, headers: { authorization: `Bearer ${client.token}` } }
}

test('The token is in no log line, whether it is valid or not', async (t) => {
  const { gateway, client, headers } = await signedIn(t, { LOG_LEVEL: 'debug' })
  await send(gateway.url, { method: 'PUT', target: '/a', headers, body: 'x' })
  await send(gateway.url, { target: '/missing', headers })
  await send(gateway.url, { headers: { ...headers, origin: 'https://evil.example' } })
  await send(gateway.url, { target: '?X-Amz-Signature=0', headers })
  await client.send('POST', '/nothing')
  await fetch(`${gateway.url}/auth/logout`, { method: 'POST', headers })
  const late = await send(gateway.url, { headers })
  assert.ok(isOver(late))
  assert.ok(gateway.lines.length > 0)
  assert.ok(!JSON.stringify(gateway.lines).includes(client.token))
  assert.ok(!late.text.includes(client.token))
})

test('A session that has expired is refused, and a request in its last minute is not', async (t) => {
  let aheadMs = 0
  const { gateway, headers } = await signedIn(t, {}, () => Date.now() + aheadMs)
  aheadMs = 12 * 3_600_000 - 60_000
  assert.equal((await send(gateway.url, { target: '?list-type=2', headers })).status, 200)
  aheadMs += 120_000
  const late = await send(gateway.url, { target: '?list-type=2', headers })
  assertRefused(late)
  assert.ok(isOver(late))
})

test('At the host of a bucket a session is refused: no page there is the dashboard', async (t) => {
  const { gateway, headers } = await signedIn(t, { VIRTUAL_HOST_DOMAINS: 's3.example.net' })
  const at = (host: string, path: string) =>
    send(gateway.url, { target: path, headers: { ...headers, host } })
  assert.equal((await at('s3.example.net', '?list-type=2')).status, 200)
  assertRefused(await at(`${testBucket}.s3.example.net`, '?list-type=2'))
})

test('No CORS setting lets a page of another origin use a session', async (t) => {
  const { gateway, headers } = await signedIn(t, { CORS_ALLOWED_ORIGINS: '*' })
  const foreign = { ...headers, origin: 'https://app.example', 'sec-fetch-site': 'cross-site' }
  assertRefused(await send(gateway.url, { target: '?list-type=2', headers: foreign }))
  assertRefused(
    await send(gateway.url, { method: 'PUT', target: '/a', headers: foreign, body: 'x' }),
  )
})

test('Behind a proxy the origin of PUBLIC_URL is our own', async (t) => {
  const { gateway, headers } = await signedIn(t, { PUBLIC_URL: 'https://s3.example.org' })
  const from = (origin: string) =>
    send(gateway.url, { target: '?list-type=2', headers: { ...headers, origin } })
  assert.equal((await from('https://s3.example.org')).status, 200)
  assertRefused(await from('https://s3.example.com'))
})

test('With COMPATIBILITY=aws a token without a session gets what AWS answers', async (t) => {
  const { gateway } = await signedIn(t, { COMPATIBILITY: 'aws' })
  const reply = await send(gateway.url, { headers: { authorization: 'Bearer secret' } })
  assert.equal(reply.status, 400)
  assert.match(reply.text, /<Code>InvalidArgument<\/Code><Message>Unsupported Authorization Type/)
})

test('If AUTH_KV does not respond, a session is neither accepted nor called expired', async (t) => {
  const gateway = await startGatewayInProcess(t, { ...settings, AUTH_KV: 'redis://127.0.0.1:1' })
  const reply = await send(gateway.url, { headers: { authorization: `Bearer ${'a'.repeat(43)}` } })
  assert.equal(reply.status, 503)
  assert.match(reply.text, /<Code>ServiceUnavailable<\/Code>/)
  assert.ok(!isOver(reply))
})

test('Without a dashboard a token is a malformed Authorization header', async (t) => {
  const gateway = await startGatewayInProcess(t)
  const reply = await send(gateway.url, { headers: { authorization: `Bearer ${'a'.repeat(43)}` } })
  assertRefused(reply)
  assert.match(reply.text, /The Authorization header is malformed/)
  assert.ok(!isOver(reply))
})

test('A token of a session is no key for models', async (t) => {
  const { gateway, client } = await signedIn(t, { MODELS_API_KEY: 'models-api-key' })
  const models = await fetch(`${gateway.url}/v1/models`, {
    headers: { authorization: `Bearer ${client.token}` },
  })
  assert.equal(models.status, 401)
})
