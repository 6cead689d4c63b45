import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { storeAbilities } from '../support/chosen-drive.ts'
import { publicBucket, useContractGateway } from '../support/contract-gateway.ts'
import { testBucket } from '../support/gateway-process.ts'
import { md5Of } from '../support/test-bytes.ts'
import { answer, itAnswers, type WireCase } from '../support/wire-case.ts'

const source = `${testBucket}/source é`
const ofVersion = `${encodeURI(source)}?versionId=1`
const etag = `"${md5Of(Buffer.from('source'))}"`
const target = `/${publicBucket}/target`
const toMissing = { 'if-none-match': '*' }

/** docs/contract/object-storage.md, "Additional operations". */
describe('copies, bulk deletes and attributes', () => {
  const gateway = useContractGateway()
  before(() =>
    answer(gateway(), {
      ...{ title: '', method: 'PUT', target: `/${encodeURI(source)}`, body: 'source', status: 200 },
      headers: { 'content-type': 'text/x-test', 'x-amz-meta-colour': 'blue' },
    }),
  )

  itAnswers(gateway, [
    copy('the bucket and key', {}, 200),
    copy('a slash in front', { 'x-amz-copy-source': `/${encodeURI(source)}` }, 200),
    copy('a condition that holds', { 'x-amz-copy-source-if-match': etag }, 200),
    {
      title: 'GetObject of a copy has the bytes, headers and metadata of its source',
      ...{ method: 'GET', target, status: 200, text: 'source' },
      fields: { etag, 'content-type': 'text/x-test', 'x-amz-meta-colour': 'blue' },
    },
    copy('REPLACE', { 'x-amz-metadata-directive': 'REPLACE', 'x-amz-meta-size': 'xl' }, 200),
    {
      title: 'HeadObject of a copy with REPLACE has only the metadata of the request',
      ...{ method: 'HEAD', target, status: 200 },
      fields: { etag, 'x-amz-meta-size': 'xl', 'x-amz-meta-colour': undefined },
    },
    copy('no such key', { 'x-amz-copy-source': `${testBucket}/none` }, 404, 'NoSuchKey'),
    copy('a bucket not served', { 'x-amz-copy-source': 'other/key' }, 403, 'AccessDenied'),
    copy('no key', { 'x-amz-copy-source': testBucket }, 400, 'InvalidArgument'),
    {
      ...copy('a version', { 'x-amz-copy-source': ofVersion }, 400, 'InvalidArgument'),
      error: { ArgumentName: 'x-amz-copy-source', ArgumentValue: ofVersion },
    },
    copy('an unknown directive', { 'x-amz-metadata-directive': 'MOVE' }, 400, 'InvalidArgument'),
    copy(
      'a source condition that fails',
      { 'x-amz-copy-source-if-match': '"x"' },
      412,
      'PreconditionFailed',
    ),
    copy(
      'a source not modified',
      { 'x-amz-copy-source-if-none-match': etag },
      412,
      'PreconditionFailed',
    ),
    storeAbilities().ifNoneMatch
      ? copy('a target that must not exist', toMissing, 412, 'PreconditionFailed')
      : copy('a target that must not exist', toMissing, 501, 'NotImplemented'),
    copy('encryption', { 'x-amz-server-side-encryption': 'AES256' }, 501, 'NotImplemented'),
    {
      ...copy('itself and nothing to change', {}, 400, 'InvalidRequest'),
      target: `/${encodeURI(source)}`,
    },
    {
      title: 'GetObjectAttributes returns the requested attributes',
      ...{ method: 'GET', target: `${target}?attributes`, status: 200 },
      headers: { 'x-amz-object-attributes': 'ETag,ObjectSize' },
      xml: {
        GetObjectAttributesResponse: {
          ...{ ETag: etag.replaceAll('"', ''), ObjectSize: '6', StorageClass: undefined },
        },
      },
    },
    {
      title: 'GetObjectAttributes without attributes is 400 InvalidArgument',
      ...{ method: 'GET', target: `${target}?attributes`, status: 400, code: 'InvalidArgument' },
    },
    {
      title: 'GetObjectAttributes of a missing object is 404 NoSuchKey',
      ...{
        method: 'GET',
        target: `/${testBucket}/none?attributes`,
        status: 404,
        code: 'NoSuchKey',
      },
      headers: { 'x-amz-object-attributes': 'ETag' },
    },
  ])

  it('DeleteObjects reports deleted, missing and refused keys', async () => {
    const keys = ['bulk/a', 'bulk/b&<c>']
    for (const key of keys) {
      const put = { title: '', method: 'PUT', target: `/${testBucket}/${encodeURIComponent(key)}` }
      await answer(gateway(), { ...put, body: 'x', status: 200 })
    }
    const { xml } = await answer(gateway(), {
      ...bulk(
        '<Object><Key>bulk/a</Key></Object><Object><Key>bulk/none</Key></Object>' +
          '<Object><Key>bulk/b&amp;&lt;c&gt;</Key><ETag>"other"</ETag></Object>',
      ),
      status: 200,
    })
    const { Deleted, Error: refused } = xml.DeleteResult as Record<string, unknown>
    assert.deepEqual(Deleted, [{ Key: 'bulk/a' }, { Key: 'bulk/none' }])
    const Code = storeAbilities().removeMatching ? 'PreconditionFailed' : 'NotImplemented'
    assert.partialDeepStrictEqual(refused, { Key: 'bulk/b&<c>', Code })
    const quiet = bulk('<Quiet>true</Quiet><Object><Key>bulk/b&amp;&lt;c&gt;</Key></Object>')
    await answer(gateway(), {
      ...quiet,
      status: 200,
      xml: { DeleteResult: { Deleted: undefined, Error: undefined } },
    })
  })

  for (const [what, content] of Object.entries({
    'no object': '',
    'an object without a key': '<Object></Object>',
    'over 1,000 objects': '<Object><Key>k</Key></Object>'.repeat(1001),
    'a broken document': '<Object>',
  })) {
    itAnswers(gateway, [
      {
        ...bulk(content),
        title: `DeleteObjects with ${what} is 400 MalformedXML`,
        status: 400,
        code: 'MalformedXML',
      },
    ])
  }
})

function copy(
  what: string,
  headers: Readonly<Record<string, string>>,
  status: number,
  code?: string,
): WireCase {
  return {
    title: `CopyObject with ${what} is ${status} ${code ?? ''}`,
    ...{ method: 'PUT', target, status, ...(code && { code }) },
    headers: { 'x-amz-copy-source': encodeURI(source), ...headers },
    ...(status === 200 && { xml: { CopyObjectResult: { ETag: etag } } }),
  }
}

function bulk(content: string) {
  const body = `<Delete xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${content}</Delete>`
  return { title: '', method: 'POST', target: `/${testBucket}?delete`, body }
}
