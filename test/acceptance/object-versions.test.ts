import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectTaggingCommand,
  GetObjectAttributesCommand,
  GetObjectCommand,
  GetObjectTaggingCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectTaggingCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { testBucket as Bucket, testCredentials } from '../support/gateway-process.ts'
import { formBody, signedFields } from '../support/post-form.ts'
import { Key, noSuchId, startWithVersions, target } from '../support/versioned-bucket.ts'
import { answer } from '../support/wire-case.ts'

const tagSet = (value: string) => ({ TagSet: [{ Key: 'tag', Value: value }] })

for (const mode of ['contract', 'aws']) {
  test(`COMPATIBILITY=${mode}: a version is written, read, listed and removed`, async (t) => {
    const { s3, set, put, read, remove, list } = await startWithVersions(t, mode)
    assert.equal(await put('plain'), '')
    assert.deepEqual(await read('null'), ['plain', undefined])
    await set('Enabled')
    assert.deepEqual(await read(), ['plain', 'null'])
    const [one, two] = [await put('one'), await put('two')]
    assert.equal(new Set([one, two, 'null', '']).size, 4)
    assert.deepEqual(await read(), ['two', two])
    assert.deepEqual(await read(one), ['one', one])
    assert.deepEqual(await read('null', { Range: 'bytes=1-2' }), ['la', 'null'])
    assert.deepEqual(await read(one, { PartNumber: 1 }), ['one', one])
    const head = await s3.send(new HeadObjectCommand({ Bucket, Key, VersionId: one }))
    assert.deepEqual([head.VersionId, head.ContentLength], [one, 3])
    const [marker, isMarker] = await remove()
    assert.equal(isMarker, true)
    assert.deepEqual((await list()).entries, [
      [`-${Key}`, marker, true],
      [Key, two, false],
      [Key, one, false],
      [Key, 'null', false],
    ])
    const { KeyCount } = await s3.send(new ListObjectsV2Command({ Bucket }))
    assert.equal(KeyCount, 0)
    assert.deepEqual(await remove(marker), [marker, true])
    assert.deepEqual(await read(), ['two', two])
    assert.deepEqual(await remove(two), [two, undefined])
    assert.deepEqual(await read(), ['one', one])
    // AWS: the removal of a version that does not exist succeeds, and an absent key gets a marker.
    assert.deepEqual(await remove(two), [two, undefined])
    assert.equal((await remove(undefined, 'absent'))[1], true)
  })
}

test('a delete marker is 404 as the current version, and 405 by its ID', async (t) => {
  const { gateway, s3, set, put, remove, refuses } = await startWithVersions(t)
  await set('Enabled')
  await put('x')
  const [marker = ''] = await remove()
  const isMarker = { 'x-amz-delete-marker': 'true', 'x-amz-version-id': String(marker) }
  for (const query of ['', '?tagging', '?acl', '?attributes']) {
    const headers = query === '?attributes' ? { 'x-amz-object-attributes': 'ETag' } : {}
    const get = { title: query, method: 'GET', headers }
    const absent = { status: 404, code: 'NoSuchKey', error: { Key } }
    await answer(gateway, { ...get, target: target + query, ...absent, fields: isMarker })
    const withId = `${target}${query}${query === '' ? '?' : '&'}versionId=${marker}`
    const refused = {
      status: 405,
      code: 'MethodNotAllowed',
      error: { ResourceType: 'DeleteMarker' },
    }
    const fields = { ...isMarker, allow: 'DELETE', 'last-modified': /GMT$/ }
    await answer(gateway, { ...get, target: withId, ...refused, fields })
  }
  const head = { title: 'head', method: 'HEAD' }
  await answer(gateway, { ...head, target, status: 404, fields: isMarker })
  const byId = `${target}?versionId=${marker}`
  await answer(gateway, { ...head, target: byId, status: 405, fields: isMarker })
  const tags = { Bucket, Key, Tagging: tagSet('x') }
  await refuses(s3.send(new PutObjectTaggingCommand(tags)), 'NoSuchKey')
  await refuses(
    s3.send(new PutObjectTaggingCommand({ ...tags, VersionId: String(marker) })),
    'MethodNotAllowed',
  )
  // A key that begins with that of the request is another one.
  await put('x', 'absent/longer')
  await remove(undefined, 'absent/longer')
  const other = { title: 'other', method: 'GET', target: `/${Bucket}/absent`, status: 404 }
  await answer(gateway, {
    ...{ ...other, code: 'NoSuchKey', error: { Key: 'absent' } },
    fields: { 'x-amz-delete-marker': undefined, 'x-amz-version-id': undefined },
  })
})

test('a version that does not exist, is malformed, or is not possible for the operation', async (t) => {
  const { gateway, set, put } = await startWithVersions(t)
  await set('Enabled')
  const id = await put('x')
  const ask = (method: string, query: string, headers = {}) => ({
    ...{ title: `${method} ${query}`, method, target: target + query, headers },
  })
  for (const VersionId of ['null', noSuchId]) {
    const absent = { status: 404, code: 'NoSuchVersion', error: { Key, VersionId } }
    await answer(gateway, { ...ask('GET', `?versionId=${VersionId}`), ...absent })
    await answer(gateway, { ...ask('GET', `?tagging&versionId=${VersionId}`), ...absent })
  }
  const refused = (query: string, value: string) => ({
    ...{ ...ask('GET', query), status: 400, code: 'InvalidArgument' },
    error: { ArgumentName: 'versionId', ArgumentValue: value },
  })
  await answer(gateway, refused('?versionId', ''))
  await answer(gateway, refused('?versionId=', ''))
  await answer(gateway, refused('?versionId=a%20b', 'a b'))
  await answer(gateway, refused(`?versionId=${'x'.repeat(1_025)}`, `${'x'.repeat(256)}…`))
  const malformed = { status: 400, code: 'InvalidArgument' }
  for (const [method, query, headers] of [
    ['GET', '?'],
    ['HEAD', '?'],
    ['DELETE', '?'],
    ['GET', '?attributes&', { 'x-amz-object-attributes': 'ETag' }],
    ...['acl', 'tagging', 'retention', 'legal-hold'].map((name) => ['GET', `?${name}&`] as const),
    ...['tagging', 'retention', 'legal-hold'].map((name) => ['PUT', `?${name}&`] as const),
    ['DELETE', '?tagging&'],
  ] as const) {
    const request = ask(method, `${query}versionId=none`, headers)
    const code = method === 'HEAD' ? {} : { code: malformed.code }
    const { text } = await answer(gateway, { ...request, status: 400, ...code })
    if (method !== 'HEAD') assert.match(text, /Invalid version id specified/)
  }
  const copied = { 'x-amz-copy-source': `${target}?versionId=none` }
  for (const query of ['', '?uploadId=u&partNumber=1']) {
    await answer(gateway, {
      ...{ ...ask('PUT', query, copied), ...malformed },
      error: { ArgumentName: 'x-amz-copy-source', ArgumentValue: `${target}?versionId=none` },
    })
  }
  for (const [method, query, headers] of [
    ['PUT', '?'],
    ['PUT', '?', { 'x-amz-copy-source': target }],
    ['POST', '?uploads&'],
    ['GET', '?uploadId=u&'],
    ['PUT', '?uploadId=u&partNumber=1&'],
    ['POST', '?uploadId=u&'],
    ['DELETE', '?uploadId=u&'],
  ] as const) {
    const request = ask(method, `${query}versionId=${id}`, headers)
    const { text } = await answer(gateway, { ...request, status: 400, code: 'InvalidArgument' })
    assert.match(text, /This operation does not accept a version-id/)
  }
})

test('tags, attributes and the ACL are those of a version', async (t) => {
  const { gateway, s3, set, put } = await startWithVersions(t)
  await set('Enabled')
  const [one, two] = [await put('one'), await put('second')]
  const of = (VersionId?: string) => ({ Bucket, Key, VersionId })
  const tagged = await s3.send(new PutObjectTaggingCommand({ ...of(one), Tagging: tagSet('1') }))
  assert.equal(tagged.VersionId, one)
  await s3.send(new PutObjectTaggingCommand({ ...of(), Tagging: tagSet('2') }))
  const tagsOf = async (id?: string) => {
    const { TagSet, VersionId } = await s3.send(new GetObjectTaggingCommand(of(id)))
    return [TagSet?.[0]?.Value, VersionId]
  }
  assert.deepEqual(
    [await tagsOf(one), await tagsOf()],
    [
      ['1', one],
      ['2', two],
    ],
  )
  const removed = await s3.send(new DeleteObjectTaggingCommand(of(one)))
  assert.deepEqual([removed.VersionId, await tagsOf(one)], [one, [undefined, one]])
  const asked = { ObjectAttributes: ['ObjectSize' as const] }
  const attributes = await s3.send(new GetObjectAttributesCommand({ ...of(one), ...asked }))
  assert.deepEqual([attributes.ObjectSize, attributes.VersionId], [3, one])
  const acl = { title: 'acl', target: `${target}?acl&versionId=${one}`, status: 200 }
  const fields = { 'x-amz-version-id': one }
  await answer(gateway, { ...acl, method: 'GET', fields })
  await answer(gateway, { ...acl, method: 'PUT', headers: { 'x-amz-acl': 'private' }, fields })
  const notModified = { title: '304', method: 'GET', target, status: 304 }
  const headers = { 'if-none-match': '*' }
  await answer(gateway, { ...notModified, headers, fields: { 'x-amz-version-id': two } })
})

test('a version is copied, also onto its own key, and a delete marker is not', async (t) => {
  const { s3, set, put, read, remove, refuses } = await startWithVersions(t)
  await set('Enabled')
  const [one, two] = [await put('one'), await put('two')]
  const source = `${Bucket}/${Key}`
  const copy = (CopySource: string, key = Key) =>
    s3.send(new CopyObjectCommand({ Bucket, Key: key, CopySource }))
  const restored = await copy(`${source}?versionId=${one}`)
  assert.equal(restored.CopySourceVersionId, one)
  assert.deepEqual(await read(), ['one', restored.VersionId])
  const other = await copy(source, 'other')
  assert.equal(other.CopySourceVersionId, restored.VersionId)
  const upload = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key }))
  const part = { Bucket, Key, UploadId: upload.UploadId, PartNumber: 1 }
  const CopySource = `${source}?versionId=${two}`
  const copied = await s3.send(new UploadPartCopyCommand({ ...part, CopySource }))
  assert.equal(copied.CopySourceVersionId, two)
  const MultipartUpload = { Parts: [{ PartNumber: 1, ETag: copied.CopyPartResult?.ETag }] }
  const complete = new CompleteMultipartUploadCommand({ ...part, MultipartUpload })
  const completed = await s3.send(complete)
  assert.deepEqual(await read(), ['two', completed.VersionId])
  // A Complete that is sent again has the same reply.
  assert.equal((await s3.send(complete)).VersionId, completed.VersionId)
  const [marker] = await remove()
  await refuses(copy(source, 'other'), 'NoSuchKey')
  await refuses(copy(`${source}?versionId=${marker}`, 'other'), 'InvalidRequest')
  await refuses(copy(`${source}?versionId=null`, 'other'), 'NoSuchVersion')
  await refuses(copy(`${source}?versionId=`, 'other'), 'InvalidArgument')
  const another = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key }))
  const ofMarker = {
    ...part,
    UploadId: another.UploadId,
    CopySource: `${source}?versionId=${marker}`,
  }
  await refuses(s3.send(new UploadPartCopyCommand(ofMarker)), 'InvalidRequest')
})

test('conditions are those of the current version, and a marker is no object', async (t) => {
  const { gateway, set, put, remove } = await startWithVersions(t)
  await set('Enabled')
  await put('one')
  await remove()
  const write = { title: 'create', method: 'PUT', target, body: 'two' }
  const headers = { 'if-none-match': '*' }
  const { headers: written } = await answer(gateway, { ...write, headers, status: 200 })
  const etag = written.get('etag') ?? ''
  await answer(gateway, { ...write, headers, status: 412, code: 'PreconditionFailed' })
  await answer(gateway, { ...write, headers: { 'if-match': etag }, status: 200 })
  const fields = { 'x-amz-delete-marker': 'true', 'x-amz-version-id': /./ }
  const deletion = { title: 'delete', method: 'DELETE', target, headers: { 'if-match': etag } }
  await answer(gateway, { ...deletion, status: 204, fields })
})

test('a form and a presigned URL: the version is in the reply, and in the signature', async (t) => {
  const { gateway, s3, set, put, read } = await startWithVersions(t)
  await set('Enabled')
  const credentials = { ...testCredentials, region: 'us-east-1' }
  const fields = [['key', Key]] as const
  const signed = signedFields({ bucket: Bucket, fields }, credentials)
  const { type, body } = formBody(signed, { file: 'form' })
  const init = { method: 'POST', headers: { 'content-type': type }, body }
  const posted = await fetch(`${gateway.url}/${Bucket}`, init)
  const id = posted.headers.get('x-amz-version-id') ?? assert.fail(await posted.text())
  await put('newer')
  assert.deepEqual(await read(id), ['form', id])
  const command = new GetObjectCommand({ Bucket, Key, VersionId: id })
  const url = await getSignedUrl(s3, command, { expiresIn: 60 })
  assert.equal(await (await fetch(url)).text(), 'form')
  const changed = url.replace(/versionId=[^&]*/, 'versionId=null')
  assert.equal((await fetch(changed)).status, 403)
})
