import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startGatewayInProcess } from '../support/gateway-in-process.ts'
import { testBucket } from '../support/gateway-process.ts'
import { type Server, signedFetch } from '../support/signed-fetch.ts'
import { answer, exchange, type WireCase } from '../support/wire-case.ts'

const bucket = `/${testBucket}`
const source = `${bucket}/source`
const target = `${bucket}/target`

const start = (t: TestContext, settings = {}) =>
  startGatewayInProcess(t, { COMPATIBILITY: 'aws', ...settings })

function put(to: string, headers: Readonly<Record<string, string>> = {}): WireCase {
  return { title: 'put', method: 'PUT', target: to, body: 'bytes', headers, status: 200 }
}

function copy(headers: Readonly<Record<string, string>>, to = target): WireCase {
  const all = { 'x-amz-copy-source': source, ...headers }
  return { title: 'copy', method: 'PUT', target: to, headers: all, status: 200 }
}

/** `key=value` of each tag, sorted. */
async function tagsOf(server: Server, of: string, isUnsigned = false): Promise<string[]> {
  const request = { method: 'GET', target: `${of}?tagging` }
  const { status, text } = await exchange(server, isUnsigned ? { ...request, isUnsigned } : request)
  assert.equal(status, 200, text)
  const tags = text.matchAll(/<Key>([^<]*)<\/Key><Value>([^<]*)<\/Value>/g)
  return [...tags].map(([, key, value]) => `${key}=${value}`)
}

const document = (...tags: string[]) =>
  `<Tagging><TagSet>${tags.map((key) => `<Tag><Key>${key}</Key><Value>1</Value></Tag>`).join('')}</TagSet></Tagging>`

function putTags(of: string, ...tags: string[]): WireCase {
  const body = document(...tags)
  return { title: 'tag', method: 'PUT', target: `${of}?tagging`, body, status: 200 }
}

test('directives decide what a copy keeps', async (t) => {
  const gateway = await start(t)
  const kept = { 'x-amz-meta-of': 'source', 'x-amz-storage-class': 'STANDARD_IA' }
  await answer(gateway, put(source, { ...kept, 'x-amz-tagging': 'of=source&a=1' }))
  const metadata = { 'x-amz-metadata-directive': 'REPLACE', 'x-amz-meta-of': 'copy' }
  const tags = { 'x-amz-tagging-directive': 'REPLACE', 'x-amz-tagging': 'of=copy' }
  const table: readonly [object, string, readonly string[]][] = [
    [{}, 'source', ['a=1', 'of=source']],
    [{ 'x-amz-tagging-directive': 'COPY' }, 'source', ['a=1', 'of=source']],
    // As on AWS, tags without REPLACE have no effect.
    [{ 'x-amz-tagging': 'of=nothing' }, 'source', ['a=1', 'of=source']],
    [metadata, 'copy', ['a=1', 'of=source']],
    [tags, 'source', ['of=copy']],
    [{ ...metadata, ...tags }, 'copy', ['of=copy']],
    [{ 'x-amz-tagging-directive': 'REPLACE' }, 'source', []],
  ]
  for (const [headers, of, expected] of table) {
    await answer(gateway, copy({ ...headers }))
    const fields = {
      ...{ 'x-amz-meta-of': of, 'x-amz-storage-class': undefined },
      'x-amz-tagging-count': expected.length === 0 ? undefined : String(expected.length),
    }
    await answer(gateway, { title: '', method: 'HEAD', target, status: 200, fields })
    assert.deepEqual(await tagsOf(gateway, target), expected)
  }
  const unknown = { ...copy({ 'x-amz-tagging-directive': 'MOVE' }), status: 400 }
  await answer(gateway, { ...unknown, code: 'InvalidArgument' })
  const onlyTags = { ...copy(tags, source), status: 400, code: 'InvalidRequest' }
  await answer(gateway, onlyTags)
  await answer(gateway, copy({ 'x-amz-storage-class': 'GLACIER' }, source))
  const fields = { 'x-amz-storage-class': 'GLACIER', 'x-amz-meta-of': 'source' }
  await answer(gateway, { title: '', method: 'HEAD', target: source, status: 200, fields })
  assert.deepEqual(await tagsOf(gateway, source), ['a=1', 'of=source'])
})

test('an upload keeps tags and storage class until it is an object', async (t) => {
  const gateway = await start(t)
  const headers = { 'x-amz-tagging': 'a=1', 'x-amz-storage-class': 'ONEZONE_IA' }
  const begun = await answer(gateway, {
    ...{ title: '', method: 'POST', target: `${target}?uploads`, headers, status: 200 },
  })
  const { UploadId } = begun.xml.InitiateMultipartUploadResult as { UploadId: string }
  const upload = `${target}?uploadId=${UploadId}`
  const part = await answer(gateway, { ...put(`${upload}&partNumber=1`) })
  const StorageClass = 'ONEZONE_IA'
  await answer(gateway, {
    ...{ title: '', method: 'GET', target: upload, status: 200 },
    xml: { ListPartsResult: { StorageClass } },
  })
  await answer(gateway, {
    ...{ title: '', method: 'GET', target: `${bucket}?uploads`, status: 200 },
    xml: { ListMultipartUploadsResult: { Upload: { StorageClass } } },
  })
  const etag = part.headers.get('etag')
  const body = `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>${etag}</ETag></Part></CompleteMultipartUpload>`
  await answer(gateway, { title: '', method: 'POST', target: upload, body, status: 200 })
  assert.deepEqual(await tagsOf(gateway, target), ['a=1'])
  await answer(gateway, {
    ...{ title: '', method: 'GET', target: `${target}?attributes`, status: 200 },
    headers: { 'x-amz-object-attributes': 'StorageClass' },
    xml: { GetObjectAttributesResponse: { StorageClass } },
  })
  for (const query of ['', '?list-type=2', '?versions']) {
    const { text } = await exchange(gateway, { method: 'GET', target: `${bucket}${query}` })
    assert.match(text, /<Size>5<\/Size><StorageClass>ONEZONE_IA<\/StorageClass>/)
  }
})

test('PutObjectTagging changes nothing else, and lasts', async (t) => {
  const gateway = await start(t, { PUBLIC_READ_BUCKETS: testBucket })
  await answer(gateway, put(target, { 'x-amz-meta-a': '1' }))
  const read = { title: '', method: 'GET', target, status: 200, text: 'bytes' }
  const before = await answer(gateway, read)
  for (const tags of [['a'], ['b', 'c'], []]) {
    await answer(gateway, putTags(target, ...tags))
    const after = await answer(gateway, read)
    for (const name of ['etag', 'last-modified', 'x-amz-meta-a', 'content-type']) {
      assert.equal(after.headers.get(name), before.headers.get(name), name)
    }
    assert.deepEqual(
      await tagsOf(gateway, target, true),
      tags.map((key) => `${key}=1`),
    )
  }
  const since = before.headers.get('last-modified') ?? ''
  const headers = { 'if-modified-since': since, 'if-none-match': before.headers.get('etag') ?? '' }
  await answer(gateway, { ...{ title: '', method: 'GET', target, headers, status: 304 } })
})

test('what cannot be a tag set changes nothing', async (t) => {
  const gateway = await start(t)
  await answer(gateway, put(target, { 'x-amz-tagging': 'a=1' }))
  const many = Array.from({ length: 11 }, (_, index) => `k${index}`)
  const refused: readonly [Partial<WireCase>, number, string][] = [
    [putTags(target, ...many), 400, 'BadRequest'],
    [putTags(target, 'a', 'a'), 400, 'InvalidTag'],
    [putTags(target, 'aws:a'), 400, 'InvalidTag'],
    [{ ...putTags(target), body: '' }, 400, 'MalformedXML'],
    [{ ...putTags(target), body: 'x'.repeat(300_000) }, 400, 'MaxMessageLengthExceeded'],
    [
      { ...putTags(target), headers: { 'content-md5': '1B2M2Y8AsgTpgAmY7PhCfg==' } },
      400,
      'BadDigest',
    ],
    [putTags(`${bucket}/none`, 'a'), 404, 'NoSuchKey'],
    [{ ...putTags(target, 'b'), target: `${target}?tagging&versionId=1` }, 400, 'InvalidArgument'],
    [put(target, { 'x-amz-tagging': 'a=1&a=2' }), 400, 'InvalidArgument'],
    [put(target, { 'x-amz-tagging': 'a=%E9' }), 400, 'InvalidArgument'],
    // Encoded twice: `%26` is no character of a tag.
    [put(target, { 'x-amz-tagging': 'a=b%2526c' }), 400, 'InvalidTag'],
    [put(target, { 'x-amz-tagging': many.map((key) => `${key}=`).join('&') }), 400, 'BadRequest'],
    [put(target, { 'x-amz-storage-class': 'standard' }), 400, 'InvalidStorageClass'],
  ]
  for (const [request, status, code] of refused) {
    await answer(gateway, { title: '', method: '', target: '', ...request, status, code })
  }
  assert.deepEqual(await tagsOf(gateway, target), ['a=1'])
})

test('a client that vanishes while it sends tags changes nothing', async (t) => {
  const gateway = await start(t)
  await answer(gateway, put(target, { 'x-amz-tagging': 'a=1' }))
  const abort = new AbortController()
  const sent = signedFetch(gateway, {
    ...{ method: 'PUT', target: `${target}?tagging`, body: document('b') },
    headers: { 'content-length': '100000' },
    signal: abort.signal,
  })
  abort.abort()
  await assert.rejects(sent)
  assert.deepEqual(await tagsOf(gateway, target), ['a=1'])
})

test('x-amz-expiration is for objects with the tags of a rule', async (t) => {
  const gateway = await start(t, { BUCKET_CREATION: 'on' })
  const body =
    '<LifecycleConfiguration><Rule><ID>r</ID><Filter><And><Prefix>ta</Prefix><Tag><Key>a</Key><Value>1</Value></Tag></And></Filter>' +
    '<Status>Enabled</Status><Expiration><Days>1</Days></Expiration></Rule></LifecycleConfiguration>'
  const rules = { title: '', target: `${bucket}?lifecycle`, status: 200 }
  await answer(gateway, { ...rules, method: 'PUT', body })
  const { text } = await answer(gateway, { ...rules, method: 'GET' })
  assert.ok(text.includes(body.slice(body.indexOf('<Filter>'), body.indexOf('<Status>'))), text)
  const expires = (request: WireCase, isExpected: boolean) => {
    const expiration = isExpected ? /rule-id="r"/ : undefined
    return answer(gateway, { ...request, fields: { 'x-amz-expiration': expiration } })
  }
  const head = { title: '', method: 'HEAD', target, status: 200 }
  await expires(put(target, { 'x-amz-tagging': 'a=1&b=2' }), true)
  await expires(put(target, { 'x-amz-tagging': 'a=2' }), false)
  await expires(head, false)
  await answer(gateway, putTags(target, 'a'))
  await expires(head, true)
  await expires(put(`${bucket}/other`, { 'x-amz-tagging': 'a=1' }), false)
})
