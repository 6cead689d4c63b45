import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { before, describe, test } from 'node:test'
import { publicBucket, useContractGateway } from '../support/contract-gateway.ts'
import { testBucket } from '../support/gateway-process.ts'
import { dashboardPassword, ManagementClient } from '../support/management-client.ts'

interface Presigned {
  readonly method: string
  readonly key?: string
  readonly bucket?: string
  readonly query?: Readonly<Record<string, string>>
  readonly expiresSeconds?: number
}

describe('A presigned URL of the management API', () => {
  const gateway = useContractGateway({ DASHBOARD_PASSWORD: dashboardPassword })
  let client: ManagementClient
  before(async () => {
    client = await ManagementClient.signIn(gateway().url)
  })

  async function urlOf({ bucket = testBucket, ...rest }: Presigned): Promise<string> {
    const { url } = await client.done('POST', '/presign', { bucket, ...rest })
    return url
  }

  /** Uses the URL byte for byte, without any other credential. */
  async function use(presigned: Presigned, body?: string, as = presigned.method) {
    return send(await urlOf(presigned), as, body)
  }

  async function send(url: string, method: string, body?: string, host?: string) {
    const [, origin = '', path = ''] = /^(https?:\/\/[^/]+)(.*)$/.exec(url) ?? []
    const { hostname, port } = new URL(origin)
    const outgoing = httpRequest({
      ...{ method, hostname, port, path, agent: false },
      headers: {
        ...(host === undefined ? {} : { host }),
        ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
      },
    })
    outgoing.end(body)
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
    const { statusCode: status, headers } = incoming
    return { status, headers, text: await text(incoming) }
  }

  const keys = [
    'plain',
    'a b+c%/é//',
    'folder/',
    '.',
    '..',
    'a/../b',
    'ж\n"<&>',
    '%2F',
    'a?b#c',
    '~',
  ]

  for (const key of keys) {
    test(`puts, gets, heads and deletes the object ${JSON.stringify(key)}`, async () => {
      const content = key === 'folder/' ? '' : `of ${key}`
      assert.equal((await use({ method: 'PUT', key }, content)).status, 200)
      const got = await use({ method: 'GET', key })
      assert.deepEqual([got.status, got.text], [200, content])
      const head = await use({ method: 'HEAD', key })
      assert.equal(head.status, 200)
      assert.equal(head.headers['content-length'], String(Buffer.byteLength(content)))
      const listed = await use({ method: 'GET', query: { 'list-type': '2', prefix: key } })
      assert.equal(listed.status, 200)
      assert.match(listed.text, /<KeyCount>1<\/KeyCount>/)
      assert.equal((await use({ method: 'DELETE', key })).status, 204)
      assert.equal((await use({ method: 'GET', key })).status, 404)
    })
  }

  test('carries a whole multipart upload: begin, part, list, complete, abort', async () => {
    const key = 'multi part/é'
    const begun = await use({ method: 'POST', key, query: { uploads: '' } })
    assert.equal(begun.status, 200, begun.text)
    const uploadId = /<UploadId>(.*?)<\/UploadId>/.exec(begun.text)?.[1] ?? ''
    const part = await use({ method: 'PUT', key, query: { uploadId, partNumber: '1' } }, 'part one')
    assert.equal(part.status, 200, part.text)
    const parts = await use({ method: 'GET', key, query: { uploadId } })
    assert.match(parts.text, /<PartNumber>1<\/PartNumber>/)
    const list = `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>${part.headers.etag}</ETag></Part></CompleteMultipartUpload>`
    const complete = await use({ method: 'POST', key, query: { uploadId } }, list)
    assert.match(complete.text, /<CompleteMultipartUploadResult/)
    assert.equal((await use({ method: 'GET', key })).text, 'part one')

    const other = await use({ method: 'POST', key, query: { uploads: '' } })
    const otherId = /<UploadId>(.*?)<\/UploadId>/.exec(other.text)?.[1] ?? ''
    const aborted = await use({ method: 'DELETE', key, query: { uploadId: otherId } })
    assert.equal(aborted.status, 204)
  })

  test('copies on the server, with the source and new metadata in the query', async () => {
    await use({ method: 'PUT', key: 'from é' }, 'to be copied')
    const copied = await use({
      ...{ method: 'PUT', key: 'to', bucket: publicBucket },
      query: {
        'x-amz-copy-source': `/${testBucket}/from%20%C3%A9`,
        'x-amz-metadata-directive': 'REPLACE',
        'x-amz-meta-made-by': 'the dashboard',
      },
    })
    assert.match(copied.text, /<CopyObjectResult/)
    const got = await use({ method: 'GET', key: 'to', bucket: publicBucket })
    assert.equal(got.text, 'to be copied')
    assert.equal(got.headers['x-amz-meta-made-by'], 'the dashboard')
  })

  test('sets the file name for a browser', async () => {
    await use({ method: 'PUT', key: 'report' }, 'text')
    const disposition = `attachment; filename="a b.txt"; filename*=UTF-8''%C3%A9.txt`
    const query = {
      'response-content-disposition': disposition,
      'response-content-type': 'text/plain; charset=utf-8',
    }
    const got = await use({ method: 'GET', key: 'report', query })
    assert.equal(got.status, 200)
    assert.equal(got.headers['content-disposition'], disposition)
    assert.equal(got.headers['content-type'], 'text/plain; charset=utf-8')
  })

  test('deletes many objects in one request', async () => {
    for (const key of ['many/1', 'many/2']) await use({ method: 'PUT', key }, 'x')
    const body =
      '<Delete><Object><Key>many/1</Key></Object><Object><Key>many/2</Key></Object></Delete>'
    const { createHash } = await import('node:crypto')
    const url = await urlOf({ method: 'POST', query: { delete: '' } })
    const reply = await fetch(url, {
      ...{ method: 'POST', body },
      headers: { 'content-md5': createHash('md5').update(body).digest('base64') },
    })
    assert.equal(reply.status, 200)
    assert.match(await reply.text(), /<Deleted><Key>many\/1<\/Key><\/Deleted>/)
    const listed = await use({ method: 'GET', query: { 'list-type': '2', prefix: 'many/' } })
    assert.match(listed.text, /<KeyCount>0<\/KeyCount>/)
  })

  test('is valid for its method, key and query only', async () => {
    await use({ method: 'PUT', key: 'one' }, 'first')
    const url = await urlOf({ method: 'GET', key: 'one' })
    assert.equal((await send(url, 'GET')).status, 200)
    for (const [changed, method] of [
      [url, 'DELETE'],
      [url, 'PUT'],
      [url.replace('/one', '/two'), 'GET'],
      [`${url}&uploads=`, 'GET'],
      [url.replace('X-Amz-Expires=300', 'X-Amz-Expires=3000'), 'GET'],
    ] as const) {
      assert.equal((await send(changed, method)).status, 403, `${method} ${changed}`)
    }
    assert.equal((await use({ method: 'GET', key: 'one' })).text, 'first')
  })

  test('expires when it says so', async () => {
    await use({ method: 'PUT', key: 'soon' }, 'gone')
    const { url, expiresAt } = await client.done('POST', '/presign', {
      ...{ method: 'GET', bucket: testBucket, key: 'soon', expiresSeconds: 1 },
    })
    const leftMs = Date.parse(expiresAt) - Date.now()
    assert.ok(leftMs <= 1_000, expiresAt)
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, leftMs) + 50))
    const late = await send(url, 'GET')
    assert.equal(late.status, 403)
    assert.match(late.text, /<Message>Request has expired<\/Message>/)
  })
})

describe('A presigned URL with PUBLIC_URL', () => {
  const publicUrl = 'https://s3.example.org'
  const proxied = useContractGateway({
    DASHBOARD_PASSWORD: dashboardPassword,
    PUBLIC_URL: publicUrl,
  })

  test('is for that address, and also valid for the address of the gateway itself', async () => {
    const client = await ManagementClient.signIn(proxied().url)
    const { endpoint } = await client.done('GET', '/status')
    assert.equal(endpoint.url, publicUrl)
    const body = { method: 'PUT', bucket: testBucket, key: 'a b' }
    const { url } = await client.done('POST', '/presign', body)
    assert.ok(url.startsWith(`${publicUrl}/${testBucket}/a%20b?`), url)
    const reached = proxied().url + url.slice(publicUrl.length)
    assert.equal((await fetch(reached, { method: 'PUT', body: 'x' })).status, 200)
  })
})
