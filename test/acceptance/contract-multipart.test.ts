import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { doesReplaceLastPart, storeAbilities } from '../support/chosen-drive.ts'
import { useContractGateway } from '../support/contract-gateway.ts'
import { testBucket } from '../support/gateway-process.ts'
import { md5Of } from '../support/test-bytes.ts'
import { answer, exchange, itAnswers, type WireCase } from '../support/wire-case.ts'

const target = `/${testBucket}/object`
const etagOf = (text: string) => `"${md5Of(Buffer.from(text))}"`

/** Method and query of the operations on an upload. */
const operations = [
  ['GET', ''],
  ['PUT', '&partNumber=1'],
  ['POST', ''],
  ['DELETE', ''],
] as const

const invalid = { title: '', status: 400, code: 'InvalidArgument' }

/** docs/contract/object-storage.md, "Multipart operations", row by row. */
describe('multipart uploads', () => {
  const gateway = useContractGateway({ PART_WAIT_SECONDS: '1' })
  /** An upload with the parts `one` and `two`. */
  let open: (query?: string) => string

  const create = async (key = target): Promise<(query?: string) => string> => {
    const { xml } = await answer(gateway(), {
      ...{ title: '', method: 'POST', target: `${key}?uploads`, status: 200 },
      headers: { 'content-type': 'text/x-test' },
      xml: { InitiateMultipartUploadResult: { Bucket: testBucket, Key: key.slice(8) } },
    })
    const { UploadId } = xml.InitiateMultipartUploadResult as { UploadId: string }
    assert.match(UploadId, /^[A-Za-z0-9_-]{22}$/)
    return (query = '') => `${key}?uploadId=${UploadId}${query}`
  }
  const upload = (to: typeof open, number: number, body: string) =>
    answer(gateway(), {
      ...{ title: '', method: 'PUT', target: to(`&partNumber=${number}`), body, status: 200 },
      fields: { etag: etagOf(body) },
    })

  before(async () => {
    open = await create()
    await upload(open, 1, 'one')
    await upload(open, 2, 'two')
  })

  it('ListParts returns every field', async () => {
    const { xml } = await answer(gateway(), {
      ...{ title: '', method: 'GET', target: open(), status: 200 },
      xml: {
        ListPartsResult: {
          ...{ Bucket: testBucket, Key: 'object', NextPartNumberMarker: '2', IsTruncated: 'false' },
          ...{ PartNumberMarker: '0', MaxParts: '1000' },
          Part: [
            { PartNumber: '1', ETag: etagOf('one'), Size: '3' },
            { PartNumber: '2', ETag: etagOf('two'), Size: '3' },
          ],
        },
      },
    })
    const { Part, UploadId } = xml.ListPartsResult as {
      Part: Record<string, string>[]
      UploadId: string
    }
    assert.match(Part[0]?.LastModified ?? '', /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
    assert.ok(open().endsWith(UploadId))
  })

  it('ListParts pages by max-parts and part-number-marker', async () => {
    const page = { title: '', method: 'GET', status: 200 }
    await answer(gateway(), {
      ...{ ...page, target: open('&max-parts=1') },
      xml: {
        ListPartsResult: {
          IsTruncated: 'true',
          NextPartNumberMarker: '1',
          Part: { PartNumber: '1' },
        },
      },
    })
    await answer(gateway(), {
      ...{ ...page, target: open('&max-parts=1000&part-number-marker=1') },
      xml: { ListPartsResult: { IsTruncated: 'false', Part: { PartNumber: '2' } } },
    })
  })

  for (const query of [
    ...['max-parts=0', 'max-parts=1001', 'max-parts=x', 'max-parts=-1', 'max-parts=1.5'],
    ...['part-number-marker=-1', 'part-number-marker=x'],
  ]) {
    it(`ListParts with ${query} is 400 InvalidArgument`, async () => {
      await answer(gateway(), { ...invalid, method: 'GET', target: open(`&${query}`) })
    })
  }

  for (const number of ['0', '10001', '-1', 'x', '', '1.5']) {
    it(`UploadPart with partNumber=${number} is 400 InvalidArgument`, async () => {
      await answer(gateway(), {
        ...invalid,
        method: 'PUT',
        target: open(`&partNumber=${number}`),
        body: 'x',
      })
    })
  }
  it('UploadPart without partNumber or without uploadId is 400 InvalidArgument', async () => {
    await answer(gateway(), { ...invalid, method: 'PUT', target: open(), body: 'x' })
    await answer(gateway(), {
      ...invalid,
      method: 'PUT',
      target: `${target}?partNumber=1`,
      body: 'x',
    })
  })

  for (const [what, body] of Object.entries({
    nothing: '',
    'no XML': 'parts',
    'another document': '<Delete/>',
    'no part': completion(),
    'a part without a number':
      '<CompleteMultipartUpload><Part><ETag>"x"</ETag></Part></CompleteMultipartUpload>',
    'a part without an ETag':
      '<CompleteMultipartUpload><Part><PartNumber>1</PartNumber></Part></CompleteMultipartUpload>',
    'a part 0': completion([0, 'one']),
    'a document type': `<!DOCTYPE a>${completion([1, 'one'], [2, 'two'])}`,
  })) {
    it(`CompleteMultipartUpload with ${what} is 400 InvalidArgument`, async () => {
      await answer(gateway(), { ...invalid, method: 'POST', target: open(), body })
    })
  }

  for (const [what, body, code] of [
    ['a wrong ETag', completion([1, 'other'], [2, 'two']), 'InvalidPart'],
    ['a part that was not uploaded', completion([1, 'one'], [2, 'two'], [3, 'x']), 'InvalidPart'],
    ['parts out of order', completion([2, 'two'], [1, 'one']), 'InvalidPartOrder'],
  ] as const) {
    it(`CompleteMultipartUpload with ${what} is 400 ${code}`, async () => {
      await answer(gateway(), { ...invalid, method: 'POST', target: open(), body, code })
    })
  }

  it('UploadPart out of sequence is 503 SlowDown with Retry-After', async () => {
    const other = await create(`/${testBucket}/sequence`)
    await answer(gateway(), {
      ...{ title: '', method: 'PUT', target: other('&partNumber=2'), body: 'early', status: 503 },
      ...{ code: 'SlowDown', fields: { 'retry-after': /^\d+$/ } },
    })
    await upload(other, 1, 'in time')
    await upload(other, 2, 'early')
  })

  it('UploadPart accepts a committed part again, and other bytes for the last one', async () => {
    const other = await create(`/${testBucket}/again`)
    await upload(other, 1, 'one')
    await upload(other, 1, 'one')
    const replaced = { title: '', method: 'PUT', target: other('&partNumber=1'), body: 'other' }
    if (doesReplaceLastPart()) await upload(other, 1, 'other')
    else await answer(gateway(), { ...replaced, status: 503, code: 'SlowDown' })
    await upload(other, 2, 'two')
    const late = { title: '', method: 'PUT', target: other('&partNumber=1'), body: 'late' }
    await answer(gateway(), { ...late, status: 503, code: 'SlowDown' })
  })

  const { smallParts, partSizes } = storeAbilities()
  it('CompleteMultipartUpload creates the object and repeats its reply', {
    skip: !smallParts && 'the store takes no small parts',
  }, async () => {
    const finished = await create(`/${testBucket}/finished`)
    await upload(finished, 1, 'one')
    await upload(finished, 2, 'two')
    const md5s = Buffer.concat(
      ['one', 'two'].map((part) => Buffer.from(md5Of(Buffer.from(part)), 'hex')),
    )
    const etag = `"${md5Of(md5s)}-2"`
    const complete: WireCase = {
      ...{ title: '', method: 'POST', target: finished(), status: 200 },
      body: completion([1, 'one'], [2, 'two']),
      xml: {
        CompleteMultipartUploadResult: {
          ...{ Bucket: testBucket, Key: 'finished', ETag: etag },
          Location: `${gateway().url}/${testBucket}/finished`,
        },
      },
    }
    const first = await answer(gateway(), complete)
    assert.deepEqual((await answer(gateway(), complete)).text, first.text)
    const get = { title: '', method: 'GET', target: `/${testBucket}/finished` }
    const fields = { etag, 'content-type': 'text/x-test', 'content-length': '6' }
    await answer(gateway(), { ...get, status: 200, text: 'onetwo', fields })
    const part = { ...get, target: `${get.target}?partNumber=2` }
    const ofPart = { 'content-range': 'bytes 3-5/6', 'x-amz-mp-parts-count': '2' }
    const known: WireCase = { ...part, status: 206, text: 'two', fields: ofPart }
    const unknown: WireCase = { ...part, status: 501, code: 'NotImplemented' }
    await answer(gateway(), partSizes ? known : unknown)
    const beyond = { ...get, target: `${get.target}?partNumber=3` }
    await answer(gateway(), { ...beyond, status: 416, code: 'InvalidPartNumber' })
    await answer(gateway(), { ...get, target: finished(), status: 404, code: 'NoSuchUpload' })
  })

  it('AbortMultipartUpload is 204, and every later operation is 404 NoSuchUpload', async () => {
    const aborted = await create(`/${testBucket}/aborted`)
    await upload(aborted, 1, 'one')
    const abort = { title: '', method: 'DELETE', target: aborted(), status: 204 }
    assert.equal((await answer(gateway(), abort)).text, '')
    for (const [method, query] of operations) {
      const gone = { title: '', method, target: aborted(query), status: 404, code: 'NoSuchUpload' }
      await answer(gateway(), {
        ...gone,
        ...(method !== 'GET' && { body: completion([1, 'one']) }),
      })
    }
    const object = { title: '', method: 'GET', target: `/${testBucket}/aborted` }
    await answer(gateway(), { ...object, status: 404, code: 'NoSuchKey' })
  })

  it('UploadPart of an upload of another key is 404 NoSuchUpload', async () => {
    const target = open('&partNumber=3').replace('/object', '/another')
    await answer(gateway(), {
      ...{ title: '', method: 'PUT', target, body: 'x', status: 404, code: 'NoSuchUpload' },
    })
  })

  itAnswers(gateway, [
    ...operations.flatMap(([method, query]) => [
      {
        ...{ title: `${method} with an unknown uploadId${query} is 404 NoSuchUpload`, method },
        ...{ target: `${target}?uploadId=unknown${query}`, status: 404, code: 'NoSuchUpload' },
        ...(method !== 'GET' && { body: completion([1, 'one']) }),
      },
      {
        ...{ title: `${method} in a bucket not served, uploadId${query}, is 403`, method },
        ...{ target: `/other/object?uploadId=unknown${query}`, status: 403, code: 'AccessDenied' },
      },
    ]),
    {
      title: 'CreateMultipartUpload in a bucket not served is 403 AccessDenied',
      ...{ method: 'POST', target: '/other/object?uploads', status: 403, code: 'AccessDenied' },
    },
    {
      title: 'CreateMultipartUpload with server-side encryption is 501 NotImplemented',
      ...{ method: 'POST', target: `${target}?uploads`, status: 501, code: 'NotImplemented' },
      headers: { 'x-amz-server-side-encryption': 'AES256' },
    },
  ])

  it('UploadPartCopy copies a range of an object', async () => {
    const copied = await create(`/${testBucket}/copied`)
    const source = { method: 'PUT', target: `/${testBucket}/copy-source`, body: 'a source' }
    await exchange(gateway(), source)
    await answer(gateway(), {
      ...{ title: '', method: 'PUT', target: copied('&partNumber=1'), status: 200 },
      headers: {
        'x-amz-copy-source': `${testBucket}/copy-source`,
        'x-amz-copy-source-range': 'bytes=2-7',
      },
      xml: { CopyPartResult: { ETag: etagOf('source') } },
    })
  })
})

function completion(...parts: readonly (readonly [number: number, text: string])[]): string {
  const elements = parts.map(
    ([number, text]) =>
      `<Part><PartNumber>${number}</PartNumber><ETag>${etagOf(text)}</ETag></Part>`,
  )
  return `<CompleteMultipartUpload>${elements.join('')}</CompleteMultipartUpload>`
}
