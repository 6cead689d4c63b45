import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { useContractGateway } from '../support/contract-gateway.ts'
import { freshRequest } from '../support/fresh-request.ts'
import { testBucket as bucket } from '../support/gateway-process.ts'
import { dashboardPassword, ManagementClient, until } from '../support/management-client.ts'
import { ShareVisitor } from '../support/share-visitor.ts'
import { signedFetch, targetOf } from '../support/signed-fetch.ts'

describe('A share of a file', () => {
  const gateway = useContractGateway({ DASHBOARD_PASSWORD: dashboardPassword })
  let client: ManagementClient
  before(async () => {
    client = await ManagementClient.signIn(gateway().url)
  })

  async function put(key: string, body: string, type = 'text/plain') {
    const headers = { 'content-type': type, 'x-amz-meta-secret': 'mine' }
    const request = { method: 'PUT', target: targetOf(bucket, key), headers, body }
    assert.equal((await signedFetch(gateway(), request)).status, 200)
  }

  async function share(path: string, more: object = {}) {
    const made = await client.done('POST', '/shares', { kind: 'file', bucket, path, ...more })
    return { ...made, visitor: new ShareVisitor(made.url) }
  }

  async function usesOf(shareId: string): Promise<number> {
    const { shares } = await client.done('GET', '/shares')
    return shares.find((one: { shareId: string }) => one.shareId === shareId).uses
  }

  test('it shows the file on a page, and downloads it', async () => {
    await put('a/<b>&"ж.txt', 'hello')
    const { visitor, url, shareId } = await share('a/<b>&"ж.txt')
    assert.match(url, /\/-\/s\/[\w-]{22}$/)
    const page = await visitor.send()
    assert.equal(page.status, 200)
    assert.match(page.text, /<bdi>&lt;b&gt;&amp;&quot;ж\.txt<\/bdi>/)
    assert.match(page.text, /5 bytes/)
    assert.doesNotMatch(page.text, /bucketry-(?:body|title|csp)|<script>/)
    assert.match(page.headers['content-security-policy'] ?? '', /script-src 'nonce-[^ ]+';/)
    assert.equal(page.headers['x-robots-tag'], 'noindex, nofollow')
    assert.equal(page.headers['referrer-policy'], 'no-referrer')
    const file = await visitor.send('/file')
    assert.equal(file.status, 200)
    assert.equal(file.text, 'hello')
    assert.match(
      file.headers['content-disposition'] ?? '',
      /^attachment; .*%3Cb%3E%26%22%D0%B6\.txt$/,
    )
    assert.match(file.headers['content-security-policy'] ?? '', /^sandbox/)
    assert.equal(file.headers['x-content-type-options'], 'nosniff')
    const fields = Object.keys(file.headers).filter((name) => name.startsWith('x-amz'))
    assert.deepEqual(fields, [])
    assert.equal(await usesOf(shareId), 1)
  })

  test('its page and refusals are in the language of the visitor', async () => {
    await put('sprache.txt', 'hello')
    const { visitor } = await share('sprache.txt')
    const headers = { 'accept-language': 'de-DE,de;q=0.9,en;q=0.5' }
    const page = await visitor.send('', { headers })
    assert.match(page.text, /<html lang="de">.*Geteilte Datei.*Geteilt mit Bucketry/s)
    assert.equal(page.headers['content-language'], 'de')
    assert.equal(page.headers.vary, 'Accept-Language')
    const refused = await visitor.send('/none', { headers })
    assert.equal(refused.status, 404)
    assert.match(refused.text, /Diesen Link gibt es nicht/)
    const english = await visitor.send()
    assert.match(english.text, /<html lang="en">.*Shared file.*Shared with Bucketry/s)
  })

  test('it never shows an active type, and previews are not counted', async () => {
    for (const [name, type, disposition] of [
      ['page.html', 'text/html', 'attachment'],
      ['drawing.svg', 'image/svg+xml', 'attachment'],
      ['script.js', 'text/javascript', 'attachment'],
      ['odd.png', 'image/png, text/html', 'attachment'],
      ['picture.png', 'image/png', 'inline'],
      ['notes.txt', 'text/plain; charset=utf-8', 'inline'],
    ] as const) {
      await put(name, '<script>alert(1)</script>', type)
      const { visitor, shareId } = await share(name)
      const { headers } = await visitor.send('/file?inline')
      assert.equal(headers['content-disposition']?.split(';')[0], disposition, name)
      assert.match(headers['content-security-policy'] ?? '', /^sandbox/)
      assert.equal(await usesOf(shareId), 0)
    }
  })

  test('a limit counts downloads that begin, never more at the same time', async () => {
    await put('once.txt', '0123456789')
    const { visitor, url, shareId } = await share('once.txt', { maxUses: 1 })
    assert.equal((await visitor.send('/file', { method: 'HEAD' })).status, 200)
    const page = await visitor.send()
    assert.match(page.text, /1 download left/)
    // It would be a download that is not counted.
    assert.doesNotMatch(page.text, /inline/)
    const seen = await visitor.send('/file', { headers: { range: 'bytes=90-' } })
    assert.equal(seen.status, 416)
    assert.equal(seen.text, '')
    assert.equal(await usesOf(shareId), 0)
    const others = new ShareVisitor(url)
    assert.deepEqual(await visitor.statuses(8, '/file?inline'), [200, ...Array(7).fill(410)])
    // The browser that has begun the download continues it. Another one cannot.
    const range = { range: 'bytes=5-' }
    assert.equal((await visitor.send('/file', { headers: range })).text, '56789')
    assert.equal((await visitor.send('/file')).status, 410)
    assert.equal((await others.send('/file', { headers: range })).status, 410)
    assert.equal((await others.send('/file', { method: 'HEAD' })).status, 410)
    const used = await others.send()
    assert.equal(used.status, 410)
    assert.match(used.text, /has been used up/)
    assert.equal(await usesOf(shareId), 1)
  })

  test('a reply without bytes does not begin a download that can be continued', async () => {
    await put('unread.txt', '0123456789')
    const { visitor, shareId, url } = await share('unread.txt', { maxUses: 1 })
    const { headers } = await visitor.send('/file', { method: 'HEAD' })
    for (const [field, status] of [
      [{ range: 'bytes=90-' }, 416],
      [{ 'if-none-match': headers.etag ?? '' }, 304],
      [{ 'if-modified-since': headers['last-modified'] ?? '' }, 304],
    ] as const) {
      const seen = await visitor.send('/file', { headers: field })
      assert.equal(seen.status, status)
      assert.equal(seen.headers['set-cookie'], undefined)
    }
    const range = { range: 'bytes=0-' }
    assert.equal((await visitor.send('/file', { headers: range })).text, '0123456789')
    assert.equal(await usesOf(shareId), 1)
    const other = new ShareVisitor(url)
    for (const field of [{ range: 'bytes=90-' }, { 'if-none-match': headers.etag ?? '' }]) {
      assert.equal((await other.send('/file', { headers: field })).status, 410)
    }
    assert.equal((await other.send('/file', { headers: range })).status, 410)
  })

  test('a file that is gone is not a use', async () => {
    const { visitor, shareId } = await share('missing.txt', { maxUses: 1 })
    assert.equal((await visitor.send()).status, 404)
    const reply = await visitor.send('/file')
    assert.equal(reply.status, 404)
    assert.match(reply.text, /This file is no longer here/)
    assert.doesNotMatch(reply.text, /missing\.txt|NoSuchKey/)
    assert.equal(await usesOf(shareId), 0)
  })

  test('a password is asked for, guesses are limited for each visitor', async () => {
    await put('secret.txt', 'secret')
    const password = 'correct horse'
    const { visitor, url, hasPassword, shareId } = await share('secret.txt', { password })
    const { url: otherUrl } = await share('secret.txt', { password: 'other password' })
    assert.equal(hasPassword, true)
    const asked = await visitor.send()
    assert.equal(asked.status, 200)
    assert.match(asked.text, /type="password"/)
    assert.doesNotMatch(asked.text, /secret\.txt/)
    assert.equal((await visitor.send('/file')).status, 403)
    const wrong = await visitor.unlock('correct horsf')
    assert.equal(wrong.status, 403)
    assert.match(wrong.text, /This password is wrong/)
    const right = await visitor.unlock(password)
    assert.equal(right.status, 303)
    assert.equal(right.headers.location, new URL(url).pathname)
    const [cookie = ''] = right.headers['set-cookie'] ?? []
    assert.match(cookie, new RegExp(`; Path=${right.headers.location}; .*HttpOnly; SameSite=Lax$`))
    assert.equal((await visitor.send('/file')).text, 'secret')
    // What one share has unlocked does not unlock another one.
    const value = cookie.split(';')[0] ?? ''
    const other = await freshRequest(`${otherUrl}/file`, { headers: { cookie: value } })
    assert.equal(other.status, 403)
    const stranger = new ShareVisitor(url, '127.0.0.9')
    for (let guess = 0; guess < 5; guess++) {
      assert.equal((await stranger.unlock(`guess ${guess}`)).status, 403)
    }
    const refused = await stranger.unlock(password)
    assert.equal(refused.status, 429)
    assert.ok(Number(refused.headers['retry-after']) > 60)
    assert.equal((await new ShareVisitor(url, '127.0.0.8').unlock(password)).status, 303)
    assert.equal(await usesOf(shareId), 1)
  })

  test('a form that a page of another origin sends is no attempt', async () => {
    await put('crossed.txt', 'x')
    const password = 'correct horse'
    const { visitor, url } = await share('crossed.txt', { password })
    const { origin } = new URL(url)
    for (const headers of [
      { 'sec-fetch-site': 'cross-site', origin: 'https://elsewhere.example' },
      { 'sec-fetch-site': 'same-site', origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'https://elsewhere.example' },
      { origin: 'http://127.0.0.1:1' },
    ]) {
      for (const given of [password, 'wrong password']) {
        const reply = await visitor.unlock(given, headers)
        assert.equal(reply.status, 403)
        assert.doesNotMatch(reply.text, /This password is wrong/)
        assert.equal(reply.headers['set-cookie'], undefined)
      }
    }
    // What browsers send for the page's own form, without and with Fetch Metadata.
    for (const headers of [
      { origin },
      { origin: 'null' },
      { origin: 'null', 'sec-fetch-site': 'same-origin' },
    ]) {
      assert.equal((await new ShareVisitor(url).unlock(password, headers)).status, 303)
    }
  })

  test('visitors have a limit of requests of their own, beside that of the access key', async () => {
    await put('rate.txt', 'x')
    const grants = [{ bucket, prefix: '', actions: ['read'] }]
    const limits = { requestsPerSecond: 1, bytes: null }
    const made = await client.done('POST', '/keys', { name: 'slow', grants, limits })
    const { accessKeyId: accessKey } = made.key
    // Each of the two workers has to know the new key.
    let url = ''
    await until(async () => {
      const wanted = { kind: 'file', bucket, path: 'rate.txt', accessKeyId: accessKey }
      url = (await client.send('POST', '/shares', wanted)).body.url ?? ''
      return url !== ''
    })
    const first = new ShareVisitor(url, '127.0.0.20')
    await until(async () => (await first.statuses(4, '')).every((status) => status !== 410))
    const hasty = new ShareVisitor(url, '127.0.0.21')
    const replies = await Promise.all(Array.from({ length: 60 }, () => hasty.send('/file')))
    const refused = replies.filter(({ status }) => status === 429)
    assert.ok(refused.length > 20, String(refused.length))
    for (const { status, headers } of replies) {
      assert.ok(status === 200 || (status === 429 && Number(headers['retry-after']) >= 1))
    }
    assert.equal((await new ShareVisitor(url, '127.0.0.22').send('/file')).status, 200)
    const credentials = { ...gateway().credentials, accessKey, secretKey: made.secretKey }
    const server = { ...gateway(), credentials }
    const reply = await signedFetch(server, { method: 'GET', target: targetOf(bucket, 'rate.txt') })
    assert.equal(reply.status, 200)
  })

  test('visitors who are sent away because many guess have not made an attempt', async () => {
    await put('busy.txt', 'busy')
    const { url } = await share('busy.txt', { password: 'correct horse' })
    const visitors = Array.from({ length: 40 }, (_, n) => new ShareVisitor(url, `127.0.1.${n + 1}`))
    const replies = await Promise.all(visitors.map((visitor) => visitor.unlock('wrong')))
    const away = visitors.filter((_, index) => replies[index]?.status === 503)
    assert.ok(away.length > 0 && away.length < 40)
    for (let guess = 0; guess < 5; guess++) {
      assert.equal((await away[0]?.unlock(`guess ${guess}`))?.status, 403)
    }
  })

  test('an id that no share can have is not found', async () => {
    assert.equal((await client.send('DELETE', '/shares/%00')).status, 404)
  })

  test('a form that cannot be read is refused, and one of another tab leads to the page', async () => {
    await put('tabs.txt', 'tabs')
    const password = 'correct horse'
    const { visitor } = await share('tabs.txt', { password })
    const large = await visitor.unlock('x'.repeat(5_000))
    assert.equal(large.status, 400)
    assert.match(large.text, /could not be read/)
    assert.equal((await visitor.unlock(password)).status, 303)
    const again = await visitor.unlock('anything else')
    assert.equal(again.status, 303)
    assert.match(again.headers.location ?? '', /^\/-\/s\/[\w-]{22}$/)
    assert.equal(again.headers['set-cookie'], undefined)
    const refused = await visitor.send('', { method: 'DELETE' })
    assert.equal(`${refused.status} ${refused.headers.allow}`, '405 GET, HEAD')
  })

  test('it ends when it is revoked, expires, or its access key does', async () => {
    await put('end/a.txt', 'a')
    const page = async (visitor: ShareVisitor) => {
      const { status, text } = await visitor.send()
      const file = await visitor.send('/file')
      return `${status} ${file.status} ${/<h1>(?:<bdi>)?(.*?)(?:<\/bdi>)?<\/h1>/.exec(text)?.[1]}`
    }
    const { visitor, shareId } = await share('end/a.txt')
    await client.done('DELETE', `/shares/${shareId}`)
    assert.equal(await page(visitor), '410 410 This link has ended')
    assert.equal((await client.send('DELETE', `/shares/${shareId}`)).status, 404)

    const expiresAt = new Date(Date.now() + 1_500).toISOString()
    const expiring = await share('end/a.txt', { expiresAt })
    assert.equal(await page(expiring.visitor), '200 200 a.txt')
    await until(async () => (await page(expiring.visitor)) === '410 410 This link has expired')

    const grants = [{ bucket, prefix: 'end/', actions: ['read'] }]
    const { key } = await client.done('POST', '/keys', { name: 'sharer', grants })
    const { accessKeyId } = key
    const other = await client.send('POST', '/shares', {
      ...{ kind: 'file', bucket, path: 'other.txt', accessKeyId },
    })
    assert.equal(other.status, 400)
    assert.equal(other.body.field, 'accessKeyId')
    const made = await share('end/a.txt', { accessKeyId })
    // Another worker may not know the new key yet.
    await until(async () => (await page(made.visitor)).startsWith('200 200 '))
    const change = (body: object) => client.done('PATCH', `/keys/${accessKeyId}`, body)
    await change({ grants: [{ ...grants[0], actions: ['write'] }] })
    await until(async () => (await page(made.visitor)) === '410 410 This link has ended')
    await change({ grants })
    await until(async () => (await page(made.visitor)).startsWith('200 200 '))
    await client.done('DELETE', `/keys/${accessKeyId}`)
    await until(async () => (await page(made.visitor)) === '410 410 This link has ended')
    const { shares } = await client.done('GET', '/shares')
    const ends = shares.map((one: { end: string | null }) => one.end).slice(0, 3)
    assert.deepEqual(ends, ['denied', 'expired', 'revoked'])
  })

  test('no other address below it answers', async () => {
    await put('plain.txt', 'x')
    const { visitor, url } = await share('plain.txt')
    for (const path of ['/', '/file/', '/..%2ffile', '/zip', '/%66ile', '/other.txt', 'x']) {
      assert.equal((await visitor.send(path)).status, 404, path)
    }
    assert.equal((await visitor.send('', { method: 'POST', body: '' })).status, 405)
    assert.equal((await visitor.send('/file', { method: 'DELETE' })).status, 405)
    const unknown = `${new URL(url).origin}/-/s/${'A'.repeat(22)}`
    for (const path of ['', '/file', '%00', '?x=<script>']) {
      const reply = await freshRequest(unknown + path)
      assert.equal(reply.status, 404)
      assert.match(reply.text, /This link does not exist/)
    }
  })

  test('what is not a share is refused with the field', async () => {
    for (const [body, field] of [
      [{ path: '' }, 'path'],
      [{ path: 'a/' }, 'path'],
      [{ kind: 'folder', path: 'a' }, 'path'],
      [{ bucket: 'none', path: 'a' }, 'bucket'],
      [{ path: 'a', password: 'short' }, 'password'],
      [{ path: 'a', maxUses: 0 }, 'maxUses'],
      [{ path: 'a', note: 'a\nb' }, 'note'],
      [{ path: 'a', expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt'],
      [{ path: 'a', accessKeyId: 'AKIANONE' }, 'accessKeyId'],
    ] as const) {
      const reply = await client.send('POST', '/shares', { kind: 'file', bucket, ...body })
      assert.equal(reply.status, 400, JSON.stringify(body))
      assert.equal(reply.body.field, field)
    }
  })
})
