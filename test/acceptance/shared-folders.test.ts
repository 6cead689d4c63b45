import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { finished } from 'node:stream/promises'
import { before, describe, test } from 'node:test'
import { useContractGateway } from '../support/contract-gateway.ts'
import { freshRequest } from '../support/fresh-request.ts'
import { testBucket as bucket } from '../support/gateway-process.ts'
import { dashboardPassword, ManagementClient, until } from '../support/management-client.ts'
import { ShareVisitor } from '../support/share-visitor.ts'
import { signedFetch, targetOf } from '../support/signed-fetch.ts'

describe('A share of a folder', () => {
  const gateway = useContractGateway({ DASHBOARD_PASSWORD: dashboardPassword })
  let client: ManagementClient
  before(async () => {
    client = await ManagementClient.signIn(gateway().url)
  })

  async function put(key: string, body: string) {
    const request = { method: 'PUT', target: targetOf(bucket, key), body }
    assert.equal((await signedFetch(gateway(), request)).status, 200, key)
  }

  async function read(key: string) {
    const reply = await signedFetch(gateway(), { method: 'GET', target: targetOf(bucket, key) })
    return reply.status === 200 ? await reply.text() : reply.status
  }

  async function share(kind: string, path: string, more: object = {}) {
    const made = await client.done('POST', '/shares', { kind, bucket, path, ...more })
    return { ...made, visitor: new ShareVisitor(made.url) }
  }

  async function figuresOf(shareId: string) {
    const { shares } = await client.done('GET', '/shares')
    const { uses, bytes } = shares.find((one: { shareId: string }) => one.shareId === shareId)
    return [uses, bytes]
  }

  const linksOf = (text: string) =>
    [...text.matchAll(/href="([^"]*)"/g)].map(([, link = '']) => link.replaceAll('&amp;', '&'))

  test('scans and PDF files are tiles: with thumbnails, or drawings of their kinds', async () => {
    for (const key of ['tiles/paper.pdf', 'tiles/scan.tif', 'tiles/phone.heic']) await put(key, 'x')
    const { visitor } = await share('folder', 'tiles/')
    const { text } = await visitor.send()
    assert.equal(text.match(/<img /g)?.length, 3)
    assert.match(text, /data-view="pdf"[^>]*><img /)
    // They are only downloaded, because browsers do not show them.
    assert.match(text, /href="[^"]*\/file\?path=scan\.tif" download><img /)
    assert.doesNotMatch(text, /scan\.tif&inline|scan\.tif&amp;inline/)
    const drawing = async (path: string) => (await visitor.send(`/thumbnail?path=${path}`)).text
    assert.notEqual(await drawing('paper.pdf'), await drawing('scan.tif'))
    const limited = await share('folder', 'tiles/', { maxUses: 3 })
    assert.doesNotMatch((await limited.visitor.send()).text, /<img /)
  })

  test('it lists its files and folders, and sends them', async () => {
    for (const key of [
      'f/a&b.txt',
      'f/p.png',
      'f/sub/c.txt',
      'f/..x/d.txt',
      'f//e.txt',
      'f2/x.txt',
    ]) {
      await put(key, key)
    }
    const { visitor, url, shareId } = await share('folder', 'f/')
    const page = await visitor.send()
    assert.equal(page.status, 200)
    assert.match(page.text, /<h1><bdi>f<\/bdi>/)
    assert.doesNotMatch(page.text, /x\.txt/)
    const { pathname } = new URL(url)
    for (const link of ['/file?path=a%26b.txt', '?path=sub%2F', '?path=..x%2F', '?path=%2F']) {
      assert.ok(linksOf(page.text).includes(pathname + link), `${link}: ${linksOf(page.text)}`)
    }
    const [picture = ''] = /<img [^>]*>/.exec(page.text) ?? []
    assert.match(picture, /src="[^"]*\/thumbnail\?path=p\.png&amp;etag=\w{32}" alt="p\.png"/)
    assert.equal((await visitor.send('/file?path=a%26b.txt')).text, 'f/a&b.txt')
    const sub = await visitor.send('?path=sub%2F')
    assert.match(sub.text, /path=sub%2Fc\.txt/)
    assert.equal((await visitor.send('/file?path=sub%2Fc.txt')).text, 'f/sub/c.txt')
    assert.equal((await visitor.send('/file?path=..x%2Fd.txt')).text, 'f/..x/d.txt')
    assert.equal((await visitor.send('/file?path=%2Fe.txt')).text, 'f//e.txt')
    assert.deepEqual(await figuresOf(shareId), [4, 0])
    const zip = await visitor.send('/zip?path=sub%2F')
    assert.match(zip.text, /^PK.*c\.txt.*f\/sub\/c\.txt/s)
    assert.doesNotMatch(zip.text, /d\.txt|x\.txt/)
    assert.match(zip.headers['content-disposition'] ?? '', /^attachment; filename="sub\.zip"/)
    assert.equal((await visitor.send('/zip')).status, 200)
    assert.equal((await visitor.send('/zip?path=sub')).status, 404)
    assert.deepEqual(await figuresOf(shareId), [6, 0])
  })

  test('its files are in natural order', async () => {
    for (const name of ['photo-10.jpg', 'photo-2.jpg', 'a10.txt', 'a9.txt'])
      await put(`n/${name}`, name)
    const { visitor } = await share('folder', 'n/')
    const { text } = await visitor.send()
    const names = [...text.matchAll(/<bdi>([^<]+\.(?:jpg|txt))<\/bdi>/g)].map(([, name]) => name)
    assert.deepEqual(names, ['photo-2.jpg', 'photo-10.jpg', 'a9.txt', 'a10.txt'])
  })

  test('it never leaves its prefix', async () => {
    await put('in/a.txt', 'in')
    await put('outside.txt', 'out')
    const { visitor, url } = await share('folder', 'in/')
    for (const path of [
      '/file?path=../outside.txt',
      '/file?path=..%2Foutside.txt',
      '/file?path=%252e%252e%252foutside.txt',
      '/file?path=%2Foutside.txt',
      '/file?path=/../outside.txt',
      '/file?path=..%5Coutside.txt',
      '/file?path=%C0%AE%C0%AE/outside.txt',
      '/file?path=a.txt%00',
      `/file?path=${'a'.repeat(1_100)}`,
      '/file?path=',
      '/file?path=sub/',
      '/file',
      '/..%2foutside.txt',
      '?path=a.txt',
    ]) {
      const { status, text } = await visitor.send(path)
      assert.equal(status, 404, path)
      assert.doesNotMatch(text, /^out$/)
    }
    const above = await visitor.send('?path=..%2F')
    assert.match(above.text, /This folder is empty/)
    const after = await visitor.send('?after=a')
    assert.doesNotMatch(after.text, /outside/)
    assert.equal((await freshRequest(`${url}?path=%2F&after=zzz`)).status, 200)
  })

  test('ZIP files that nobody reads keep out neither those of other links nor, for long, of the same', async () => {
    await put('unread/a.bin', 'x'.repeat(20_000_000))
    const [unread, other] = [await share('folder', 'unread/'), await share('folder', 'f/')]
    const replies: IncomingMessage[] = []
    const begin = async () => {
      const sent = request(`${unread.url}/zip`, { agent: false })
        .on('error', () => undefined)
        .end()
      const [reply] = (await once(sent, 'response')) as [IncomingMessage]
      replies.push(reply.on('error', () => undefined))
      return reply.statusCode
    }
    try {
      // Two workers have two places each for one link.
      const statuses = await Promise.all(Array.from({ length: 10 }, begin))
      assert.deepEqual(statuses.sort(), [...Array(4).fill(200), ...Array(6).fill(503)])
      for (let turn = 0; turn < 4; turn += 1) {
        assert.equal((await other.visitor.send('/zip')).status, 200)
      }
      await until(async () => (await begin()) === 200)
      const first = replies.slice(0, 10).filter(({ statusCode }) => statusCode === 200)
      const ends = await Promise.allSettled(first.map((reply) => finished(reply.resume())))
      assert.equal(ends.filter(({ status }) => status === 'rejected').length, 1)
    } finally {
      for (const reply of replies) reply.destroy()
    }
  })

  test('long folders have pages, and a limit counts each file', async () => {
    await Promise.all(Array.from({ length: 1_005 }, (_, i) => put(`long/${1_000 + i}.png`, 'x')))
    const { visitor, shareId } = await share('folder', 'long/', { maxUses: 2 })
    const page = await visitor.send()
    assert.equal(linksOf(page.text).filter((link) => link.includes('/file?')).length, 1_000)
    assert.doesNotMatch(page.text, /inline|thumbnail/)
    const [next = ''] = linksOf(page.text).filter((link) => link.includes('after='))
    const rest = await freshRequest(new URL(next, gateway().url).href)
    assert.equal(linksOf(rest.text).filter((link) => link.includes('/file?')).length, 5)
    const file = (name: string) => visitor.send(`/file?path=${name}.png`)
    assert.deepEqual([(await file('1000')).status, (await file('1001')).status], [200, 200])
    assert.equal((await file('1002')).status, 410)
    assert.deepEqual(await figuresOf(shareId), [2, 0])
  })

  test('a link for uploads writes new files, and shows nothing', async () => {
    await put('drop/taken.txt', 'first')
    const { visitor, url, shareId } = await share('drop', 'drop/')
    const send = (name: string, body: string, headers = {}) =>
      visitor.send(`/${name}`, { method: 'PUT', body, headers })
    const page = await visitor.send()
    assert.match(page.text, /<h1>Send files to <bdi>drop<\/bdi>/)
    assert.doesNotMatch(page.text, /taken/)
    const sent = await send('taken.txt', 'second', { 'content-type': 'text/plain' })
    assert.equal(sent.status, 201)
    assert.doesNotMatch(sent.text + JSON.stringify(sent.headers), /taken|\(2\)/)
    assert.equal(await read('drop/taken.txt'), 'first')
    assert.equal(await read('drop/taken (2).txt'), 'second')
    await until(async () => {
      const { requests } = await client.done('GET', '/activity')
      return requests.some(({ key }: { key: string }) => key === 'drop/taken (2).txt')
    })
    await send('..%2F..%2F.htaccess', 'hidden')
    assert.equal(await read('drop/htaccess'), 'hidden')
    await send('gpj%E2%80%AE.exe%0A', 'marks')
    assert.equal(await read('drop/gpj_.exe_'), 'marks')
    for (const path of ['/file', '/file?path=taken.txt', '?path=/', '/taken.txt', '/zip']) {
      const { text, status } = await visitor.send(path)
      assert.ok(path.startsWith('?') ? status === 200 : status === 405, path)
      assert.doesNotMatch(text, /first|second/)
    }
    assert.equal((await send('%E0', 'x')).status, 400)
    const many = Array.from({ length: 5 }, () => send('same.txt', 'x'))
    const statuses = (await Promise.all(many)).map(({ status }) => status)
    assert.ok(
      statuses.every((status) => status === 201 || status === 409),
      String(statuses),
    )
    const kept = statuses.filter((status) => status === 201).length
    assert.ok(kept >= 1)
    assert.deepEqual(await figuresOf(shareId), [3 + kept, 17 + kept])
    assert.equal((await freshRequest(`${url}/a`, { method: 'DELETE' })).status, 405)
  })

  test('limits of uploads hold for several at the same time', async () => {
    const limits = { maxUses: 3, maxBytes: 25, maxFileBytes: 10, types: ['txt', 'pdf'] }
    const { visitor, shareId } = await share('drop', 'limited/', limits)
    const page = await visitor.send()
    assert.match(page.text, /Only txt, pdf · up to 10 bytes each · 25 bytes left · 3 files left/)
    const status = async (name: string, size: number) => {
      const reply = await visitor.send(`/${name}`, { method: 'PUT', body: 'x'.repeat(size) })
      assert.equal(reply.headers['content-type'], 'text/plain; charset=utf-8')
      return reply.status
    }
    assert.equal(await status('a.exe', 1), 415)
    assert.equal(await status('a.txt.exe', 1), 415)
    assert.equal(await status('a.txt', 11), 413)
    assert.deepEqual(await figuresOf(shareId), [0, 0])
    const sending = Array.from({ length: 6 }, (_, i) => status(`${i}.TXT`, 10))
    assert.deepEqual((await Promise.all(sending)).sort(), [201, 201, 413, 413, 413, 413])
    assert.deepEqual(await figuresOf(shareId), [2, 20])
    assert.equal(await status('rest.pdf', 5), 201)
    assert.equal((await visitor.send()).status, 413)
    assert.deepEqual(await figuresOf(shareId), [3, 25])
  })

  test('a size that no file can have takes no place', async () => {
    const { url, shareId } = await share('drop', 'declared/')
    for (const length of ['5497558138881', '9007199254740993']) {
      const headers = { 'content-length': length }
      const { status } = await freshRequest(`${url}/a.txt`, { method: 'PUT', headers })
      assert.equal(status, 413, length)
    }
    assert.deepEqual(await figuresOf(shareId), [0, 0])
  })

  test('its access key needs all the rights', async () => {
    const grants = [{ bucket, prefix: 'f/', actions: ['read', 'write'] }]
    const { key } = await client.done('POST', '/keys', { name: 'half', grants })
    const { accessKeyId } = key
    for (const [kind, path, status] of [
      ['folder', 'f/', 400],
      ['drop', 'f/', 201],
      ['drop', '', 400],
      ['file', 'f/a&b.txt', 201],
    ]) {
      const made = await client.send('POST', '/shares', { kind, bucket, path, accessKeyId })
      assert.equal(made.status, status, `${kind} ${path}`)
    }
    const limited = { kind: 'folder', bucket, path: 'f/', types: ['pdf'] }
    const refused = await client.send('POST', '/shares', limited)
    assert.deepEqual([refused.status, refused.body.field], [400, 'types'])
  })
})
