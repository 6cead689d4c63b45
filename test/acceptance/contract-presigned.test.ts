import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { storeAbilities } from '../support/chosen-drive.ts'
import { useContractGateway } from '../support/contract-gateway.ts'
import { testBucket, testCredentials } from '../support/gateway-process.ts'
import { presignTarget } from '../support/signed-request.ts'
import { answer, exchange } from '../support/wire-case.ts'

const source = `/${testBucket}/source`

/** SDKs put header fields into a presigned query, and S3 reads them from there. */
describe('header fields in a presigned query', () => {
  const gateway = useContractGateway()
  before(async () => {
    await answer(gateway(), {
      ...{ title: '', method: 'PUT', target: source, body: 'source', status: 200 },
      headers: { 'x-amz-checksum-crc32': 'X4p/cw==' },
    })
  })

  const send = (method: string, target: string, body?: string) => {
    const request = { method, target, host: gateway().host, expiresSeconds: 60 }
    const url = presignTarget(request, testCredentials)
    return exchange(gateway(), { method, target: url, isUnsigned: true, ...(body && { body }) })
  }
  const get = (target: string) => exchange(gateway(), { method: 'GET', target })

  it('PutObject stores the metadata of the query', async () => {
    const target = `/${testBucket}/with-metadata`
    const put = await send('PUT', `${target}?x-amz-meta-colour=blue&X-Amz-Meta-Size=%C3%A9`, 'x')
    assert.equal(put.status, 200, put.text)
    const { headers } = await get(target)
    assert.equal(headers.get('x-amz-meta-colour'), 'blue')
    assert.equal(headers.get('x-amz-meta-size'), '=?UTF-8?B?w6k=?=')
  })

  it('PutObject does not verify a checksum that was presigned without the body', async () => {
    const query = 'x-amz-checksum-crc32=AAAAAA%3D%3D&x-amz-sdk-checksum-algorithm=CRC32'
    const put = await send('PUT', `/${testBucket}/no-body-yet?${query}`, 'a body')
    assert.equal(put.status, 200, put.text)
  })

  it('CopyObject copies the source in the query and writes no empty object', async () => {
    const target = `/${testBucket}/copy`
    const copySource = encodeURIComponent(`${testBucket}/source`)
    const copy = await send('PUT', `${target}?x-amz-copy-source=${copySource}`)
    assert.equal(copy.status, 200)
    assert.ok(copy.xml.CopyObjectResult, copy.text)
    assert.equal((await get(target)).text, 'source')
  })

  it('GetObject returns the checksum that the query requests', async () => {
    const { headers } = await send('GET', `${source}?x-amz-checksum-mode=ENABLED`)
    const kept = storeAbilities().checksums ? 'X4p/cw==' : null
    assert.equal(headers.get('x-amz-checksum-crc32'), kept)
  })

  it('PutObject refuses the same fields in the query as in headers', async () => {
    const put = await send('PUT', `/${testBucket}/no?x-amz-server-side-encryption=AES256`, 'x')
    assert.equal(put.status, 501)
    const split = await send('PUT', `/${testBucket}/no?x-amz-meta-a=b%0D%0Ac%3A%20d`, 'x')
    assert.equal(split.status, 400)
    assert.equal((await get(`/${testBucket}/no`)).status, 404)
  })
})
