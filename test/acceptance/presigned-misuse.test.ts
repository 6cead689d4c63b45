import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { publicBucket, useContractGateway } from '../support/contract-gateway.ts'
import { testBucket, testCredentials } from '../support/gateway-process.ts'
import { RawExchange } from '../support/raw-exchange.ts'
import { presignTarget, signHeaders } from '../support/signed-request.ts'
import { answer, exchange, type WireReply } from '../support/wire-case.ts'

const source = `/${testBucket}/source`
const presigning = [
  'X-Amz-Algorithm',
  'X-Amz-Credential',
  'X-Amz-Date',
  'X-Amz-Expires',
  'X-Amz-SignedHeaders',
  'X-Amz-Signature',
]

/** The holder of a presigned URL may send that one request until it expires, and nothing else. */
describe('misuse of a presigned URL', () => {
  const gateway = useContractGateway()
  before(async () => {
    for (const target of [source, `/${publicBucket}/object`]) {
      await answer(gateway(), { title: '', method: 'PUT', target, body: 'source', status: 200 })
    }
  })

  const presigned = (method: string, target: string, signedAtMs = Date.now()): string =>
    presignTarget(
      { method, target, host: gateway().host, expiresSeconds: 60, signedAtMs },
      testCredentials,
    )
  const send = (method: string, target: string, headers: Record<string, string> = {}, body = '') =>
    exchange(gateway(), { method, target, headers, isUnsigned: true, ...(body && { body }) })
  const get = (target: string) => exchange(gateway(), { method: 'GET', target })

  for (const [how, respell] of Object.entries({
    'an encoded hyphen': (name: string) => name.replace('X-Amz-', 'X-Amz%2D'),
    'every character encoded': (name: string) =>
      name.replace(/./g, (character) => `%${character.charCodeAt(0).toString(16)}`),
    'lower case': (name: string) => name.toLowerCase(),
    'a hyphen encoded twice': (name: string) => name.replace('X-Amz-', 'X-Amz%252D'),
    'no change': (name: string) => name,
  })) {
    it(`an expired URL is refused as a header signature, its parameters with ${how}`, async () => {
      const url = presigned('GET', source, Date.now() - 120_000)
      assertDenied(await asHeader('GET', url, respell))
    })

    it(`a presigned copy is refused as a PUT of other bytes, its parameters with ${how}`, async () => {
      const copySource = encodeURIComponent(`${testBucket}/source`)
      const target = `/${testBucket}/copied`
      const url = presigned('PUT', `${target}?x-amz-copy-source=${copySource}`)
      assertDenied(await asHeader('PUT', url, respell, 'other bytes'))
      assert.equal((await get(target)).status, 404)
    })
  }

  /**
   * The signature of a URL in an Authorization header, with its other parameters spelled
   * differently.
   */
  async function asHeader(
    method: string,
    url: string,
    respell: (name: string) => string,
    body?: string,
  ): Promise<WireReply> {
    const [path, query = ''] = url.split('?')
    const values = new URLSearchParams(query)
    const authorization =
      `AWS4-HMAC-SHA256 Credential=${values.get('X-Amz-Credential')}, SignedHeaders=host, ` +
      `Signature=${values.get('X-Amz-Signature')}`
    const others = query.split('&').filter((pair) => !pair.startsWith('X-Amz-Signature='))
    const target = `${path}?${others.map((pair) => pair.replace(/^[^=]*/, respell)).join('&')}`
    const headers = { authorization, 'x-amz-date': values.get('X-Amz-Date') ?? '' }
    return await send(method, target, headers, body)
  }

  for (const name of [...presigning, 'X-Amz-Security-Token', 'x-amz-copy-source', 'x-amz-acl']) {
    const spellings = [name, name.toLowerCase(), name.replace('-', '%2D'), name.replace('z', '%7a')]
    it(`${name} in a query is refused in a request that is not presigned`, async () => {
      for (const spelling of spellings) {
        const target = `${source}?${spelling}=1`
        assertDenied(await exchange(gateway(), { method: 'GET', target }))
        assertDenied(await send('GET', `/${publicBucket}/object?${spelling}=1`))
        assertDenied(await send('GET', `/${publicBucket}/object?${spelling}`))
      }
    })

    it(`${name} twice in a presigned query is refused in any spelling`, async () => {
      const url = presigned(
        'GET',
        `${source}?X-Amz-Security-Token=t&x-amz-copy-source=a&x-amz-acl=b`,
      )
      for (const spelling of spellings) assertDenied(await send('GET', `${url}&${spelling}=1`))
      // The signer itself sent it twice.
      const twice = presigned('GET', `${source}?${name}=1&${name}=2`)
      assertDenied(await send('GET', twice))
    })
  }

  for (const name of presigning) {
    it(`${name} in another spelling is refused`, async () => {
      const url = presigned('GET', source)
      assertDenied(await send('GET', url.replace(name, name.toLowerCase())))
      assertDenied(await send('GET', url.replace(name, name.replace('-', '%2D'))))
      assertDenied(await send('GET', url.replace(name, name.replace('-', '+'))))
    })
  }

  it('parameters of Version 2 are refused in any spelling', async () => {
    for (const query of [
      'AWSAccessKeyId=A&Signature=b&Expires=1',
      'awsaccesskeyid=A',
      '%41WSAccessKeyId=A',
      'Signature=b',
      'signatur%65=b',
    ]) {
      assertDenied(await send('GET', `/${publicBucket}/object?${query}`))
      assertDenied(await exchange(gateway(), { method: 'GET', target: `${source}?${query}` }))
    }
  })

  it('a presigned URL with an Authorization header, even an empty one, is refused', async () => {
    const url = presigned('GET', source)
    for (const authorization of ['', 'Basic dXNlcjpwYXNz', 'AWS4-HMAC-SHA256']) {
      assertDenied(await send('GET', url, { authorization }))
    }
  })

  it('a header does not replace a parameter of a presigned URL', async () => {
    const url = presigned('GET', `${source}?x-amz-checksum-mode=ENABLED`)
    assertDenied(await send('GET', url, { 'x-amz-checksum-mode': 'DISABLED' }))
    assertDenied(await send('GET', url, { 'x-amz-copy-source': 'a/b' }))
    assert.equal((await send('GET', url)).status, 200)
  })

  it('the order of repeated parameters, which is not signed, has no effect', async () => {
    const one = presigned('GET', `/${testBucket}?prefix=none&prefix=source&list-type=2`)
    const other = one.replace('prefix=none&prefix=source', 'prefix=source&prefix=none')
    const replies = [await send('GET', one), await send('GET', other)]
    assert.deepEqual(
      replies.map(({ xml }) => [xml.ListBucketResult].flat().map((list) => Object(list).Prefix)),
      [['none'], ['none']],
    )
  })

  it('a second Authorization header, or a second value of a signed header, is refused', async () => {
    const raw = new RawExchange(gateway())
    const twice = await raw.send(
      raw.head('GET', source, { unsigned: 'Authorization: AWS4-HMAC-SHA256 x\r\n' }),
    )
    assert.match(twice, /^HTTP\/1\.1 403 [\s\S]*more than one Authorization/)
    const { host } = gateway()
    const request = { method: 'PUT', target: source, host, headers: { 'content-type': 'a/b,c/d' } }
    const fields = Object.entries(signHeaders(request, testCredentials))
    const head = fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')
    const split = head.replace('content-type: a/b,c/d', 'content-type: a/b\r\ncontent-type: c/d')
    const reply = await raw.send(`PUT ${source} HTTP/1.1\r\n${split}content-length: 0\r\n\r\n`)
    assert.match(reply, /^HTTP\/1\.1 403 [\s\S]*content-type must be sent once/)
  })
})

function assertDenied({ status, xml, text }: WireReply): void {
  assert.equal(status, 403, text)
  assert.equal((xml.Error as { Code: string }).Code, 'AccessDenied')
}
