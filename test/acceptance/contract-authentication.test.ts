import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { publicBucket, useContractGateway } from '../support/contract-gateway.ts'
import { testBucket, testCredentials } from '../support/gateway-process.ts'
import { RawExchange } from '../support/raw-exchange.ts'
import { signedFetch } from '../support/signed-fetch.ts'
import { presignTarget, signHeaders } from '../support/signed-request.ts'
import { answer, exchange, itAnswers } from '../support/wire-case.ts'

const object = `/${testBucket}/object`
const minuteMs = 60_000

/** docs/contract/object-storage.md, "Authentication" and the sections up to "Public buckets". */
describe('authentication', () => {
  const gateway = useContractGateway()
  before(async () => {
    for (const target of [object, `/${publicBucket}/object`]) {
      await answer(gateway(), { title: '', method: 'PUT', target, body: 'bytes', status: 200 })
    }
  })

  /** Status and error of a GET with these headers. */
  const got = (target: string, headers: Record<string, string> = {}) =>
    exchange(gateway(), { method: 'GET', target, headers, isUnsigned: true })
  const headersAt = (signedAtMs: number, credentials = testCredentials) => {
    const request = { method: 'GET', target: object, host: gateway().host, signedAtMs }
    const { host: _, ...headers } = signHeaders(request, credentials)
    return headers
  }
  const presigned = (expiresSeconds: number | string, signedAtMs = Date.now(), target = object) =>
    presignTarget(
      { method: 'GET', target, host: gateway().host, signedAtMs, expiresSeconds },
      testCredentials,
    )

  for (const [what, credentials] of Object.entries({
    'another access key': { accessKey: 'OTHER' },
    'another secret': { secretKey: 'other' },
    'another region': { region: 'eu-west-1' },
  })) {
    it(`GetObject signed with ${what} is 403 AccessDenied`, async () => {
      assertDenied(await got(object, headersAt(Date.now(), { ...testCredentials, ...credentials })))
    })
  }

  for (const minutes of [-16, 16]) {
    it(`GetObject signed ${minutes} minutes from now is 403 RequestTimeTooSkewed`, async () => {
      const { status, xml } = await got(object, headersAt(Date.now() + minutes * minuteMs))
      assert.equal(status, 403)
      assert.equal((xml.Error as { Code: string }).Code, 'RequestTimeTooSkewed')
    })
  }

  it('GetObject signed 14 minutes from now is 200', async () => {
    for (const minutes of [-14, 14]) {
      const { status, text } = await got(object, headersAt(Date.now() + minutes * minuteMs))
      assert.deepEqual([status, text], [200, 'bytes'])
    }
  })

  it('GetObject without x-amz-date or with a malformed one is 403 AccessDenied', async () => {
    const { 'x-amz-date': _, ...dateless } = headersAt(Date.now())
    for (const headers of [dateless, { ...dateless, 'x-amz-date': 'yesterday' }]) {
      assertDenied(await got(object, headers))
    }
  })

  it('GetObject presigned is 200 until it expires', async () => {
    for (const target of [
      presigned(30),
      presigned(604_800),
      presigned(604_800, Date.now() - 604_790_000),
    ]) {
      const { status, text } = await got(target)
      assert.deepEqual([status, text], [200, 'bytes'])
    }
  })

  for (const expires of ['', '0', '-1', '604801', '1.5', 'abc', '1e3']) {
    it(`GetObject presigned with X-Amz-Expires=${expires} has expired`, async () => {
      assertExpired(await got(presigned(expires)))
    })
  }

  it('GetObject presigned without X-Amz-Expires counts as expired', async () => {
    assertExpired(await got(presigned(60).replace(/&X-Amz-Expires=60/, '')))
  })

  it('GetObject presigned is 403 Request has expired after its expiry', async () => {
    assertExpired(await got(presigned(60, Date.now() - 62_000)))
    assertExpired(await got(presigned(604_800, Date.now() - 604_802_000)))
  })

  it('GetObject presigned for another key, method or parameter is 403 AccessDenied', async () => {
    const url = presigned(60)
    const others = [url.replace('/object', '/other'), `${url}&response-expires=x`, `${url}0`]
    for (const target of others) assertDenied(await got(target))
    const headers = { 'content-length': '0' }
    assertDenied(
      await exchange(gateway(), { method: 'PUT', target: url, headers, isUnsigned: true }),
    )
  })

  it('GetObject with both forms of authentication is 403 AccessDenied', async () => {
    assertDenied(await got(presigned(60), headersAt(Date.now())))
  })

  it('PutObject with any x-amz-content-sha256 is 200: payload hashes are not verified', async () => {
    for (const hash of ['UNSIGNED-PAYLOAD', '0'.repeat(64), 'e3b0c44298fc1c14']) {
      const headers = { 'x-amz-content-sha256': hash }
      const put = { method: 'PUT', target: `/${testBucket}/hash`, body: 'x', headers }
      assert.equal((await signedFetch(gateway(), put)).status, 200)
    }
  })

  it('GetObject with accept-encoding signed as identity is 200 for any value sent', async () => {
    const raw = new RawExchange(gateway())
    const head = raw.head('GET', object, { headers: { 'accept-encoding': 'identity' } })
    for (const sent of ['identity', 'gzip, br', '*']) {
      const reply = await raw.send(
        head.replace('accept-encoding: identity', `accept-encoding: ${sent}`),
      )
      assert.match(reply, /^HTTP\/1\.1 200 [\s\S]*\r\n\r\nbytes$/)
    }
  })

  // AWS SDK for Java v2 and for Go v2 send one line for each attribute.
  it('GetObjectAttributes with its attributes in several lines is 200', async () => {
    const raw = new RawExchange(gateway())
    const list = 'ETag,ObjectSize,StorageClass'
    const head = raw.head('GET', `${object}?attributes`, {
      headers: { 'x-amz-object-attributes': list },
    })
    const lines = list.replaceAll(',', '\r\nX-Amz-Object-Attributes: ')
    const reply = await raw.send(head.replace(list, lines))
    assert.match(reply, /^HTTP\/1\.1 200 /)
    for (const name of list.split(',')) assert.match(reply, new RegExp(`<${name}>`))
  })

  itAnswers(gateway, [
    ...['', '/object', '?list-type=2', '?uploads', '?location', '?acl', '?versions'].map(
      (rest) => ({
        ...{ title: `GET /${publicBucket}${rest} is 200 unsigned`, method: 'GET' },
        ...{ target: `/${publicBucket}${rest}`, isUnsigned: true, status: 200 },
      }),
    ),
    ...['', '/object'].map((rest) => ({
      ...{ title: `HEAD /${publicBucket}${rest} is 200 unsigned`, method: 'HEAD' },
      ...{ target: `/${publicBucket}${rest}`, isUnsigned: true, status: 200 },
    })),
    ...[
      ['PUT', '/object'],
      ['DELETE', '/object'],
      ['POST', '/object?uploads'],
      ['POST', '/object?uploadId=x'],
      ['PUT', '/object?uploadId=x&partNumber=1'],
      ['DELETE', '/object?uploadId=x'],
      ['POST', '?delete'],
    ].map(([method = '', rest]) => ({
      ...{ title: `${method} /${publicBucket}${rest} is 403 unsigned`, method, body: 'x' },
      ...{ target: `/${publicBucket}${rest}`, isUnsigned: true, status: 403, code: 'AccessDenied' },
    })),
  ])
})

describe('authentication with PUBLIC_LIST=false', () => {
  const gateway = useContractGateway({ PUBLIC_LIST: 'false' })
  itAnswers(gateway, [
    ...['', '?list-type=2', '?versions', '?uploads'].map((query) => ({
      ...{ title: `GET /${publicBucket}${query} is 403 unsigned`, method: 'GET', status: 403 },
      ...{ target: `/${publicBucket}${query}`, isUnsigned: true, code: 'AccessDenied' },
    })),
    {
      title: 'GetObject of a public bucket is 404 unsigned, not 403',
      ...{ method: 'GET', target: `/${publicBucket}/none`, isUnsigned: true },
      ...{ status: 404, code: 'NoSuchKey' },
    },
  ])
})

function assertExpired(reply: Awaited<ReturnType<typeof exchange>>): void {
  assertDenied(reply)
  assert.equal((reply.xml.Error as { Message: string }).Message, 'Request has expired')
}

function assertDenied({ status, xml }: Awaited<ReturnType<typeof exchange>>): void {
  assert.equal(status, 403)
  assert.equal((xml.Error as { Code: string }).Code, 'AccessDenied')
}
