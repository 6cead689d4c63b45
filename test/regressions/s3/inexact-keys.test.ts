import assert from 'node:assert/strict'
import type { RequestListener } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { getText, listKeys, md5Of, put, rejectsAs } from '../../contract/drive/stored-object.ts'
import { behind, openDriveOn } from './store-under-test.ts'

/** A store that keeps objects as files, and so has one object where S3 has several. */
function storeOfFiles(): RequestListener {
  const files = new Map<string, Buffer>()
  return async (request, response) => {
    // It resolves `.` and `..`.
    const url = new URL(request.url ?? '', 'http://store')
    const path = decodeURIComponent(url.pathname).replace(/[/\\]+/g, '/')
    const body = await buffer(request)
    const etagOf = (bytes: Buffer) => ({ etag: `"${md5Of(bytes)}"` })
    const answers: Readonly<Record<string, () => void>> = {
      get() {
        const prefix = `/bucket/${url.searchParams.get('prefix')}`.replace(/\/+/g, '/')
        const found = files.get(path)
        if (url.searchParams.has('list-type')) {
          const listed = [...files.keys()].filter((name) => name.startsWith(prefix)).sort()
          const entries = listed.map((name) => `<Contents><Key>${name.slice(8)}</Key></Contents>`)
          response.end(`<ListBucketResult>${entries.join('')}</ListBucketResult>`)
        } else if (found === undefined) response.writeHead(404).end()
        else {
          response.writeHead(200, { ...etagOf(found), 'content-length': found.length }).end(found)
        }
      },
      put() {
        files.set(path, body)
        response.writeHead(200, etagOf(body)).end('<CopyObjectResult/>')
      },
      delete() {
        files.delete(path)
        response.writeHead(204).end()
      },
      post: () => void response.end('<Result><UploadId>one</UploadId></Result>'),
    }
    const { method = '' } = request
    answers[method === 'HEAD' ? 'get' : method.toLowerCase()]?.()
  }
}

test('a key that the store takes for another one reads, writes and removes nothing', async (t) => {
  const drive = await openDriveOn(t, storeOfFiles())
  await drive.prepare(['alpha', 'beta'])
  await put(drive, 'a/b', 'text')
  for (const key of ['a//b', '/a/b', 'a/./b', './a/b', 'x/../a/b', 'a\\b', '../alpha/a/b']) {
    const bucket = key.startsWith('../') ? 'beta' : 'alpha'
    await rejectsAs(Promise.resolve(drive.head(bucket, key)), 'not-implemented')
    await rejectsAs(Promise.resolve(drive.open(bucket, key)), 'not-implemented')
    await rejectsAs(put(drive, key, 'other', { bucket }), 'not-implemented')
    await rejectsAs(drive.remove(bucket, key), 'not-implemented')
    await rejectsAs(drive.uploads.begin('0'.repeat(22), { bucket, key }), 'not-implemented')
    assert.equal(await drive.removeAll?.(bucket, ['c', key]), undefined)
    const source = { bucket, key, etag: md5Of(Buffer.from('text')) }
    const attributes = { etag: source.etag, headers: {}, metadata: {} }
    const copied = drive.copy?.(source, { bucket, key: 'copy' }, { attributes })
    await rejectsAs(Promise.resolve(copied), 'not-implemented')
  }
  assert.equal(await getText(drive, 'a/b'), 'text')
  assert.deepEqual(await listKeys(drive), ['a/b'])
  assert.deepEqual(await listKeys(drive, { prefix: 'a//' }), [])
})

test('a folder that the store answers for as if it were an object is none', async (t) => {
  const methods: unknown[] = []
  const drive = await openDriveOn(
    t,
    // As SeaweedFS.
    behind(({ method }, response) => {
      methods.push(method)
      const etag = '"d41d8cd98f00b204e9800998ecf8427e-0"'
      response.writeHead(200, { etag, 'content-length': '0' }).end()
    }),
  )
  const wanted = { start: 0, end: Number.POSITIVE_INFINITY }
  assert.equal(await drive.head('alpha', 'a/'), undefined)
  assert.equal(await drive.open('alpha', 'a/', { wanted }), undefined)
  assert.deepEqual(methods, ['HEAD', 'GET'])
})
