import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { before, describe, test } from 'node:test'
import { useContractGateway } from '../support/contract-gateway.ts'
import { freshRequest } from '../support/fresh-request.ts'
import { testBucket as bucket } from '../support/gateway-process.ts'
import { dashboardPassword, ManagementClient, until } from '../support/management-client.ts'
import { ShareVisitor } from '../support/share-visitor.ts'
import { signedFetch, targetOf } from '../support/signed-fetch.ts'
import { jpegBytes, photoBytes, webpBytes } from '../support/thumbnail-bytes.ts'

describe('The page of a share', () => {
  const gateway = useContractGateway({ DASHBOARD_PASSWORD: dashboardPassword })
  let client: ManagementClient
  before(async () => {
    client = await ManagementClient.signIn(gateway().url)
  })

  async function put(key: string, body: string | Buffer<ArrayBuffer>) {
    const request = { method: 'PUT', target: targetOf(bucket, key), body }
    assert.equal((await signedFetch(gateway(), request)).status, 200, key)
    return createHash('md5').update(body).digest('hex')
  }

  async function share(kind: string, path: string, more: object = {}) {
    const made = await client.done('POST', '/shares', { kind, bucket, path, ...more })
    return { ...made, visitor: new ShareVisitor(made.url) }
  }

  async function figureOf(shareId: string, name: string) {
    const { shares } = await client.done('GET', '/shares')
    return shares.find((one: { shareId: string }) => one.shareId === shareId)[name]
  }

  const thumbnail = webpBytes('VP8 ', 200, 150)

  /** Puts a file, and the thumbnail that a browser of the dashboard has made of it. */
  async function putPictured(key: string) {
    const etag = await put(key, `picture ${key}`)
    const picture = thumbnail.toString('base64')
    await client.done('PUT', '/thumbnails', { bucket, key, etag, picture })
    return etag
  }

  test('thumbnails are those that were stored, and no use', async () => {
    const etag = await putPictured('album/a.png')
    await put('album/none.png', 'no picture')
    const { visitor, shareId } = await share('folder', 'album/')
    const page = await visitor.send()
    const source = `/thumbnail?path=a.png&amp;etag=${etag}`
    assert.ok(page.text.includes(source), page.text)
    const picture = await visitor.send(source.replaceAll('&amp;', '&'))
    assert.equal(picture.status, 200)
    assert.equal(picture.headers['content-type'], 'image/webp')
    assert.equal(Number(picture.headers['content-length']), thumbnail.length)
    assert.match(picture.headers['cache-control'] ?? '', /^private, .*immutable/)
    assert.match(picture.headers['content-security-policy'] ?? '', /^sandbox/)
    assert.equal(picture.headers['x-content-type-options'], 'nosniff')
    const none = await visitor.send('/thumbnail?path=none.png')
    assert.equal(none.headers['content-type'], 'image/svg+xml')
    assert.match(none.headers['content-security-policy'] ?? '', /^sandbox/)
    assert.doesNotMatch(none.text, /no picture/)
    assert.equal((await visitor.send('/thumbnail?path=gone.png')).status, 404)
    assert.equal(await figureOf(shareId, 'uses'), 0)
  })

  test('the preview of a camera is sent, and stored for everybody', async () => {
    const preview = jpegBytes(160, 120)
    const etag = await put('photo.jpg', photoBytes(preview, { orientation: 6 }))
    const { visitor } = await share('file', 'photo.jpg')
    const picture = await visitor.send('/thumbnail')
    assert.equal(picture.headers['content-type'], 'image/jpeg')
    assert.equal(Number(picture.headers['content-length']), preview.length + 36)
    const address = `${gateway().url}/-/api/thumbnails?bucket=${bucket}&etag=${etag}`
    const headers = { authorization: `Bearer ${client.token}` }
    assert.equal((await freshRequest(address, { headers })).status, 200)
    // A name that no camera gives is not read.
    await put('photo.png', photoBytes(jpegBytes(150, 113)))
    const other = await share('file', 'photo.png')
    const drawing = await other.visitor.send('/thumbnail')
    assert.equal(drawing.headers['content-type'], 'image/svg+xml')
  })

  test('thumbnails need what the files need', async () => {
    await putPictured('closed/a.png')
    await putPictured('outside.png')
    const path = '/thumbnail?path=a.png'
    const password = 'correct horse'
    const locked = await share('folder', 'closed/', { password })
    assert.equal((await locked.visitor.send(path)).status, 403)
    await locked.visitor.unlock(password)
    assert.equal((await locked.visitor.send(path)).headers['content-type'], 'image/webp')
    const open = await share('folder', 'closed/')
    for (const other of ['../outside.png', '..%2Foutside.png', '%2Foutside.png', 'a.png%00', '']) {
      assert.equal((await open.visitor.send(`/thumbnail?path=${other}`)).status, 404, other)
    }
    await client.done('DELETE', `/shares/${open.shareId}`)
    assert.equal((await open.visitor.send(path)).status, 410)
    const expiresAt = new Date(Date.now() + 1_000).toISOString()
    const expiring = await share('folder', 'closed/', { expiresAt })
    await until(async () => (await expiring.visitor.send(path)).status === 410)
    // It would be a look that is not counted.
    const limited = await share('folder', 'closed/', { maxUses: 5 })
    assert.equal((await limited.visitor.send(path)).status, 404)
    const drop = await share('drop', 'closed/')
    assert.equal((await drop.visitor.send(path)).status, 405)
  })

  test('each time that a person opens the page is a view, also at the same time', async () => {
    await put('seen/a.txt', 'a')
    await put('seen/sub/b.txt', 'b')
    const { visitor, shareId } = await share('folder', 'seen/')
    await Promise.all(Array.from({ length: 20 }, () => visitor.send()))
    for (const path of ['?path=sub%2F', '?path=&after=a', '?path=none', '/file?path=a.txt']) {
      await visitor.send(path)
    }
    await visitor.send('', { method: 'HEAD' })
    await visitor.send('', { headers: { 'sec-purpose': 'prefetch' } })
    assert.equal(await figureOf(shareId, 'views'), 20)
    assert.equal(await figureOf(shareId, 'uses'), 1)
    const locked = await share('file', 'seen/a.txt', { password: 'correct horse' })
    await locked.visitor.send()
    assert.equal(await figureOf(locked.shareId, 'views'), 0)
    const drop = await share('drop', 'seen/')
    await drop.visitor.send()
    assert.equal(await figureOf(drop.shareId, 'views'), 1)
  })

  test('chosen files that are gone are not called an empty folder', async () => {
    const { visitor } = await share('folder', 'gone/', { items: ['a.txt', 'b.txt'] })
    const { text } = await visitor.send()
    assert.match(text, /These files were moved or deleted/)
    assert.doesNotMatch(text, /This folder is empty/)
  })

  test('chosen files and folders are shared, and nothing beside them', async () => {
    for (const key of ['c/a.txt', 'c/b.txt', 'c/d/e.txt', 'c/d/f/g.txt', 'c/dx.txt']) {
      await put(key, key)
    }
    const items = ['b.txt', 'd/', 'gone.txt', 'b.txt']
    const { visitor, ...made } = await share('folder', 'c/', { items })
    assert.deepEqual(made.items, ['b.txt', 'd/', 'gone.txt'])
    const page = await visitor.send()
    assert.match(page.text, /path=b\.txt.*path=d%2F|path=d%2F.*path=b\.txt/s)
    assert.doesNotMatch(page.text, /a\.txt|dx\.txt|gone\.txt/)
    for (const [path, status] of [
      ['/file?path=b.txt', 200],
      ['/file?path=d%2Fe.txt', 200],
      ['?path=d%2Ff%2F', 200],
      ['/file?path=a.txt', 404],
      ['/file?path=dx.txt', 404],
      ['/file?path=b.txt%2F..%2Fa.txt', 404],
      ['/thumbnail?path=a.txt', 404],
      ['?path=e%2F', 404],
      ['/zip?path=e%2F', 404],
    ] as const) {
      assert.equal((await visitor.send(path)).status, status, path)
    }
    const zip = await visitor.send('/zip')
    assert.match(zip.text, /b\.txt.*d\/e\.txt.*d\/f\/g\.txt/s)
    assert.doesNotMatch(zip.text, /a\.txt|dx\.txt/)
    for (const [kind, path, given] of [
      ['file', 'c/a.txt', ['b.txt']],
      ['folder', 'c/', ['x'.repeat(1_024)]],
      ['folder', 'c/', ['\ud800']],
      ['folder', 'c/', Array.from({ length: 501 }, (_, index) => `${index}`)],
    ] as const) {
      const refused = await client.send('POST', '/shares', { kind, bucket, path, items: given })
      assert.equal(refused.status, 400)
      assert.match(refused.body.field, /^items/)
    }
  })

  test('a title is shown in place of the name, and escaped', async () => {
    await put('titled/a.txt', 'a')
    const title = '<script>alert(1)</script>\u202e'
    for (const kind of ['folder', 'drop']) {
      const { visitor } = await share(kind, 'titled/', { title })
      const { text } = await visitor.send()
      assert.match(text, /<h1><bdi>&lt;script&gt;alert\(1\)&lt;\/script&gt;\ufffd<\/bdi>/)
      assert.doesNotMatch(text, /<script>alert|titled/)
    }
    const { visitor } = await share('folder', 'titled/', { title: 'Ours' })
    const { headers } = await visitor.send('/zip')
    assert.match(headers['content-disposition'] ?? '', /filename="Ours\.zip"/)
  })

  test('a link is changed, and keeps its address and what was counted', async () => {
    await put('changed.txt', 'x')
    const { visitor, url, shareId } = await share('file', 'changed.txt', { maxUses: 1 })
    const change = (body: object) => client.send('PATCH', `/shares/${shareId}`, body)
    assert.equal((await visitor.send('/file')).status, 200)
    assert.equal((await new ShareVisitor(url).send('/file')).status, 410)
    const more = await change({ maxUses: null, title: 'Ours', note: 'for Ada' })
    assert.deepEqual(
      [more.status, more.body.url, more.body.uses, more.body.title, more.body.note, more.body.end],
      [200, url, 1, 'Ours', 'for Ada', null],
    )
    assert.equal((await new ShareVisitor(url).send('/file')).status, 200)
    // A new password is asked for, also of those who knew the former one.
    await change({ password: 'first password' })
    const knowing = new ShareVisitor(url)
    await knowing.unlock('first password')
    assert.equal((await knowing.send('/file')).status, 200)
    assert.equal((await change({ title: '' })).body.hasPassword, true)
    assert.equal((await knowing.send('/file')).status, 200)
    await change({ password: 'other password' })
    assert.equal((await knowing.send('/file')).status, 403)
    assert.equal((await change({ password: null })).body.hasPassword, false)
    assert.equal((await new ShareVisitor(url).send('/file')).status, 200)
    const soon = new Date(Date.now() + 500).toISOString()
    assert.equal((await change({ expiresAt: soon })).body.expiresAt, soon)
    await until(async () => (await visitor.send()).status === 410)
    assert.equal((await change({ expiresAt: null })).body.end, null)
    assert.equal((await visitor.send()).status, 200)
  })

  test('a change that is wrong, or of a link that has ended, is refused', async () => {
    await put('refused.txt', 'x')
    const { shareId } = await share('file', 'refused.txt')
    for (const [body, field] of [
      [{ expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt'],
      [{ maxBytes: 5 }, 'maxBytes'],
      [{ types: ['pdf'] }, 'types'],
      [{ maxUses: 0 }, 'maxUses'],
      [{ password: 'short' }, 'password'],
      [{ title: 'a\nb' }, 'title'],
      [{ path: 'other.txt' }, 'path'],
    ] as const) {
      const reply = await client.send('PATCH', `/shares/${shareId}`, body)
      assert.deepEqual([reply.status, reply.body.field], [400, field])
    }
    await client.done('DELETE', `/shares/${shareId}`)
    assert.equal((await client.send('PATCH', `/shares/${shareId}`, { title: 'x' })).status, 404)
    assert.equal((await client.send('PATCH', '/shares/%00', { title: 'x' })).status, 404)
    const limits = { maxUses: 2, maxBytes: 10, types: ['txt'] }
    const drop = await share('drop', 'changed/', limits)
    const changed = await client.done('PATCH', `/shares/${drop.shareId}`, { maxBytes: 20 })
    assert.deepEqual(
      [changed.maxUses, changed.maxBytes, changed.maxFileBytes, changed.types],
      [2, 20, null, ['txt']],
    )
  })

  test('changes at the same time do not undo each other', async () => {
    await put('together.txt', 'x')
    const { shareId } = await share('file', 'together.txt')
    const titles = Array.from({ length: 8 }, (_, index) => `title ${index}`)
    const replies = await Promise.all(
      titles.map((title, index) =>
        client.send('PATCH', `/shares/${shareId}`, index % 2 === 0 ? { title } : { note: title }),
      ),
    )
    const done = replies.filter(({ status }) => status === 200)
    assert.ok(done.length > 0)
    assert.ok(replies.every(({ status }) => status === 200 || status === 409))
    const last = { title: await figureOf(shareId, 'title'), note: await figureOf(shareId, 'note') }
    const changes = replies.flatMap(({ status }, index) =>
      status === 200 ? [index % 2 === 0 ? 'title' : 'note'] : [],
    )
    for (const field of ['title', 'note'] as const) {
      assert.equal(last[field] !== '', changes.includes(field))
    }
  })

  test('a wrong password has its reason in Activity', async () => {
    await put('reason.txt', 'x')
    const { visitor } = await share('file', 'reason.txt', { password: 'correct horse' })
    await visitor.unlock('wrong horse')
    await until(async () => {
      const { requests } = await client.done('GET', '/activity')
      return requests.some(
        ({ key, reason }: Record<string, string>) =>
          key === 'reason.txt' && reason === 'Wrong password.',
      )
    })
  })

  test('the activity says when a link was opened, but not each picture and download', async () => {
    await put('opened.txt', 'x')
    const { visitor } = await share('file', 'opened.txt')
    assert.equal((await visitor.send('')).status, 200)
    assert.equal((await visitor.send('/file')).status, 200)
    await until(async () => {
      const { requests } = await client.done('GET', '/activity?search=view')
      return requests.length > 0
    })
    const { requests } = await client.done(
      'GET',
      '/activity?key=opened.txt&what=changes&accessKey=anyone',
    )
    assert.deepEqual(
      requests.map(({ action, by }: Record<string, string>) => [action, by]),
      [['view', 'anyone']],
    )
  })
})
