/** Access keys that may create objects, but not replace, change or delete them (docs/access-keys.md, "Write-once keys"). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DriveError } from '../../src/storage/drives/drive-error.ts'
import type { GatewayInProcess } from '../support/gateway-in-process.ts'
import { startForKeys } from '../support/key-holders.ts'
import { formRequest } from '../support/post-form.ts'
import { type SignedFetch, signedFetch } from '../support/signed-fetch.ts'

/** The bodies of multipart uploads with one part, and of objects whose conditions are checked before the body arrives. */
const large = 'l'.repeat(2 ** 20)

const settings = { ALLOWED_BUCKETS: 'safe' }

/** Status and error code. */
async function outcome(server: GatewayInProcess, request: SignedFetch): Promise<string> {
  const reply = await signedFetch(server, request)
  const [, code] = /<Code>([^<]*)/.exec(await reply.text()) ?? []
  return code === undefined ? String(reply.status) : `${reply.status} ${code}`
}

const put = (key: string, body: string, headers = {}) => ({
  method: 'PUT',
  target: `/safe/${key}`,
  body,
  headers,
})
const refused = '403 AccessDenied'

/** Begins an upload with one part, and returns its query and the request that completes it. */
async function uploaded(server: GatewayInProcess, key: string, body = 'part') {
  const target = `/safe/${key}`
  const begun = await signedFetch(server, { method: 'POST', target: `${target}?uploads` })
  const [, id] = /<UploadId>([^<]*)/.exec(await begun.text()) ?? []
  const query = `uploadId=${id}`
  const part = { method: 'PUT', target: `${target}?${query}&partNumber=1`, body }
  const etag = (await signedFetch(server, part)).headers.get('etag')
  const parts = `<Part><PartNumber>1</PartNumber><ETag>${etag}</ETag></Part>`
  const list = `<CompleteMultipartUpload>${parts}</CompleteMultipartUpload>`
  return { part, complete: { method: 'POST', target: `${target}?${query}`, body: list }, query }
}

test('a write-once key creates objects, and refuses to replace, change and delete them', async (t) => {
  const { gateway, holder } = await startForKeys(t, settings)
  const once = await holder('create', 'list')
  assert.equal(await outcome(gateway, put('source', 'other bytes')), '200')
  const reader = await holder('create', 'read')
  const copy = { method: 'PUT', headers: { 'x-amz-copy-source': '/safe/source' } }
  const tagging = '<Tagging><TagSet><Tag><Key>k</Key><Value>v</Value></Tag></TagSet></Tagging>'
  for (const key of ['k', 'folder/k', 'folder/']) {
    const target = `/safe/${key}`
    assert.equal(await outcome(once, put(key, key.endsWith('/') ? '' : 'first')), '200')
    for (const request of [
      put(key, 'second'),
      put(key, large),
      put(key, 'second', { 'if-none-match': '"d41d8cd98f00b204e9800998ecf8427e"' }),
      put(key, 'second', { 'if-match': '*' }),
      { method: 'DELETE', target },
      { method: 'PUT', target: `${target}?tagging`, body: tagging },
      { method: 'DELETE', target: `${target}?tagging` },
      { method: 'PUT', target: `${target}?acl`, headers: { 'x-amz-acl': 'private' } },
      (await uploaded(once, key)).complete,
    ]) {
      assert.equal(await outcome(once, request), refused, `${request.method} ${request.target}`)
    }
    assert.equal(await outcome(reader, { ...copy, target }), refused)
    const form = formRequest({ bucket: 'safe', fields: [['key', key]] }, once.credentials)
    const posted = await fetch(`${once.url}${form.target}`, {
      ...form,
      headers: form.headers ?? {},
    })
    assert.match(await posted.text(), /may create objects but not replace them/)
    const kept = await signedFetch(gateway, { method: 'GET', target })
    assert.equal(await kept.text(), key.endsWith('/') ? '' : 'first')
    assert.equal(kept.headers.get('x-amz-tagging-count'), null)
  }
  assert.equal(await outcome(reader, { ...copy, target: '/safe/copied' }), '200')
  assert.equal(await outcome(once, (await uploaded(once, 'completed')).complete), '200')
})

test('the refusal says why, and a client that asks for the condition gets 412', async (t) => {
  const { gateway, holder } = await startForKeys(t, settings)
  const once = await holder('create')
  assert.equal(await outcome(gateway, put('k', 'first')), '200')
  const reply = await signedFetch(once, put('k', 'second'))
  assert.match(
    await reply.text(),
    /may create objects but not replace them, and "?.*safe\/k.* exists\./,
  )
  const asked = { 'if-none-match': '*' }
  assert.equal(await outcome(once, put('k', 'second', asked)), '412 PreconditionFailed')
  assert.equal(await outcome(once, put('new', 'first', asked)), '200')
  const deletion = await signedFetch(once, { method: 'DELETE', target: '/safe/k' })
  assert.match(await deletion.text(), /has no grant to delete/)
})

test('of many writers with a write-once key, one creates the object', async (t) => {
  const { gateway, holder } = await startForKeys(t, settings)
  const once = await holder('create', 'read')
  const bodies = Array.from({ length: 20 }, (_, index) => `body ${index}`)
  const outcomes = await Promise.all(bodies.map((body) => outcome(once, put('k', body))))
  assert.deepEqual(outcomes.toSorted(), ['200', ...Array(19).fill(refused)])
  const kept = await signedFetch(gateway, { method: 'GET', target: '/safe/k' })
  assert.equal(await kept.text(), bodies[outcomes.indexOf('200')])
})

test('a write that is sent again gets the same reply if the key may read', async (t) => {
  const { holder } = await startForKeys(t, settings)
  const reader = await holder('create', 'read')
  const blind = await holder('create')
  const headers = { 'x-amz-meta-mtime': '1', 'content-type': 'text/plain' }
  for (const [key, body] of [
    ['small', 'bytes'],
    ['large', large],
  ] as const) {
    const first = await signedFetch(reader, put(key, body, headers))
    const again = await signedFetch(reader, put(key, body, headers))
    assert.deepEqual([first.status, again.status], [200, 200])
    assert.equal(again.headers.get('etag'), first.headers.get('etag'))
    for (const other of [
      put(key, `${body.slice(1)}!`, headers),
      put(key, body, { ...headers, 'x-amz-meta-mtime': '2' }),
      put(key, body, { ...headers, 'x-amz-tagging': 'a=b' }),
    ]) {
      assert.equal(await outcome(reader, other), refused)
    }
    assert.equal(await outcome(blind, put(key, body, headers)), refused)
  }
})

test('a write-once key continues and aborts only uploads that it has begun', async (t) => {
  const { gateway, holder } = await startForKeys(t, settings)
  const once = await holder('create', 'read', 'list')
  const others = [gateway, await holder('create'), await holder('write')]
  assert.equal(await outcome(gateway, put('source', 'bytes')), '200')
  for (const [index, other] of others.entries()) {
    const key = `of-${index}`
    const { part, complete, query } = await uploaded(other, key)
    const target = `/safe/${key}?${query}`
    for (const request of [
      part,
      { method: 'PUT', target: part.target, headers: { 'x-amz-copy-source': '/safe/source' } },
      { method: 'GET', target },
      complete,
      { method: 'DELETE', target },
    ]) {
      assert.equal(await outcome(once, request), refused, `${request.method} ${index}`)
    }
    assert.equal(await outcome(other, complete), '200')
  }
  const own = await uploaded(once, 'own')
  const target = `/safe/own?${own.query}`
  assert.equal(await outcome(once, { method: 'GET', target }), '200')
  assert.equal(await outcome(once, { method: 'DELETE', target }), '204')
  const kept = await uploaded(once, 'own')
  assert.equal(await outcome(once, kept.complete), '200')
  assert.equal(
    await outcome(once, kept.complete),
    '200',
    'the reply to the first Complete was lost',
  )
})

test('a store without conditional writes gets no write of a write-once key', async (t) => {
  const { gateway, holder } = await startForKeys(t, settings)
  const keys = [await holder('create'), await holder('create', 'read')]
  assert.equal(await outcome(gateway, put('k', 'first')), '200')
  const { drive } = gateway
  const draft = drive.draft.bind(drive)
  t.mock.method(drive, 'draft', async (...[bucket, key, options]: Parameters<typeof draft>) => {
    if (options.announced?.conditions === undefined) return await draft(bucket, key, options)
    throw new DriveError('not-implemented', 'The store does not have If-None-Match.')
  })
  for (const once of keys) {
    assert.equal(await outcome(once, put('new', 'first')), '501 NotImplemented')
    assert.equal(await outcome(once, put('k', 'other bytes')), refused)
    assert.equal(await outcome(gateway, { method: 'HEAD', target: '/safe/new' }), '404')
  }
})

test('a repeated write gets the same reply also where each attempt would be locked until later', async (t) => {
  const { gateway, holder } = await startForKeys(t, settings)
  const headers = { 'x-amz-bucket-object-lock-enabled': 'true' }
  assert.equal(await outcome(gateway, { method: 'PUT', target: '/locked', headers }), '200')
  const rule =
    '<Rule><DefaultRetention><Mode>GOVERNANCE</Mode><Days>1</Days></DefaultRetention></Rule>'
  const body = `<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled>${rule}</ObjectLockConfiguration>`
  assert.equal(
    await outcome(gateway, { method: 'PUT', target: '/locked?object-lock', body }),
    '200',
  )
  const once = await holder('create', 'read')
  const lock = (day: number) => ({
    'x-amz-object-lock-mode': 'COMPLIANCE',
    'x-amz-object-lock-retain-until-date': new Date(Date.now() + day * 86_400_000).toISOString(),
  })
  const tomorrow = lock(1)
  const send = (key: string, sent: Readonly<Record<string, string>>) =>
    outcome(once, { method: 'PUT', target: `/locked/${key}`, body: 'bytes', headers: sent })
  assert.deepEqual([await send('default', {}), await send('default', {})], ['200', '200'])
  assert.deepEqual([await send('asked', tomorrow), await send('asked', tomorrow)], ['200', '200'])
  assert.equal(await send('asked', lock(2)), refused)
})
