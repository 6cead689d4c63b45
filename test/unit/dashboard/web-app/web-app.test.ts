import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { createWebApp } from '../../../../src/dashboard/web-app/web-app.ts'
import type { HttpReply } from '../../../../src/platform/http/message.ts'
import { readStreamBody } from '../../../support/stream-body.ts'
import { requestOf } from '../../app/start/request-of.ts'

const root = mkdtempSync(join(tmpdir(), 'bucketry-web-'))
after(() => rmSync(root, { recursive: true }))
const folder = join(root, 'dist')
const script = `/*${'x'.repeat(100_000)}*/`
mkdirSync(join(folder, 'assets'), { recursive: true })
writeFileSync(join(root, 'secret.js'), 'secret')
writeFileSync(join(folder, 'secret.js'), 'secret')
writeFileSync(
  join(folder, 'index.html'),
  '<script src="a.js" nonce="bucketry-csp-nonce"></script><meta nonce="bucketry-csp-nonce"><div id="root">',
)
writeFileSync(join(folder, 'docs.html'), '<div id="docs">')
writeFileSync(join(folder, 'assets/index-1.js'), script)
writeFileSync(join(folder, 'assets/index-1.js.br'), 'brotli')
writeFileSync(join(folder, 'assets/index-1.js.gz'), 'gzip')
writeFileSync(join(folder, 'assets/icon-1.svg'), '<svg/>')
writeFileSync(join(folder, 'assets/packed-1.js.gz'), gzipSync('packed'))
writeFileSync(join(folder, 'favicon.ico'), 'icon')
writeFileSync(join(folder, 'manifest.webmanifest'), '{}')
const app = createWebApp({ folder })

const get = (target: string, headers: Record<string, string> = {}) =>
  app({ ...requestOf('GET', target), headers })

function field({ headers }: HttpReply, name: string): string | undefined {
  return headers.find(([key]) => key.toLowerCase() === name)?.[1]
}

async function text({ body }: HttpReply): Promise<string> {
  if (body === undefined || typeof body === 'string') return body ?? ''
  assert.ok(!(body instanceof Uint8Array))
  const bytes = await readStreamBody(body)
  assert.equal(bytes.length, body.length)
  return bytes.toString('latin1')
}

for (const target of ['/-/', '/-/files/photos/a/b.jpg', '/-/models', '/-/secret.js', '/-/..']) {
  test(`GET ${target} answers the page`, async () => {
    const reply = await get(target)
    assert.equal(reply.status, 200)
    assert.equal(field(reply, 'content-type'), 'text/html; charset=utf-8')
    assert.match(await text(reply), /<div id="root">/)
  })
}

test('GET /-/docs returns the API reference', async () => {
  assert.equal(await text(await get('/-/docs')), '<div id="docs">')
})

test('GET of the page carries the nonce of its policy, another one each time', async () => {
  const replies = [await get('/-/'), await get('/-/')]
  const nonces = replies.map(
    (reply) => /'nonce-([^']+)'/.exec(field(reply, 'content-security-policy') ?? '')?.[1],
  )
  for (const [index, reply] of replies.entries()) {
    const tags = (await text(reply)).match(/nonce="[^"]*"/g)
    assert.deepEqual(tags, Array(2).fill(`nonce="${nonces[index]}"`))
  }
  assert.notEqual(nonces[0], nonces[1])
})

test('GET of the page forbids loading from elsewhere and inline scripts', async () => {
  const policy = field(await get('/-/'), 'content-security-policy') ?? ''
  const directives = new Map(
    policy.split('; ').map((directive) => {
      const [name = '', ...sources] = directive.split(' ')
      return [name, sources.join(' ')] as const
    }),
  )
  assert.equal(directives.get('default-src'), "'none'")
  // Not 'self': uploaded objects have the same origin.
  assert.match(
    directives.get('script-src') ?? '',
    /^'nonce-[A-Za-z0-9+/]{22}==' 'wasm-unsafe-eval'$/,
  )
  assert.equal(directives.get('connect-src'), "'self'")
  assert.equal(directives.get('base-uri'), "'none'")
  assert.equal(directives.get('frame-ancestors'), "'none'")
  assert.doesNotMatch(policy, /unsafe-(?:inline|hashes)|'unsafe-eval|https?:|\*/)
})

test('only the dashboard may compile WebAssembly', async () => {
  const policy = field(await get('/-/docs'), 'content-security-policy') ?? ''
  assert.doesNotMatch(policy, /unsafe/)
})

test('GET of the page forbids caching without revalidation, referrers and type sniffing', async () => {
  const reply = await get('/-/')
  assert.equal(field(reply, 'cache-control'), 'no-cache')
  assert.equal(field(reply, 'referrer-policy'), 'no-referrer')
  assert.equal(field(reply, 'x-content-type-options'), 'nosniff')
  assert.equal(field(reply, 'cross-origin-opener-policy'), 'same-origin')
})

test('GET of the manifest is allowed by the policy, and cached for a day', async () => {
  const reply = await get('/-/manifest.webmanifest')
  assert.equal(field(reply, 'content-type'), 'application/manifest+json')
  assert.equal(field(reply, 'cache-control'), 'public, max-age=86400')
  assert.equal(await text(reply), '{}')
  assert.match(field(await get('/-/'), 'content-security-policy') ?? '', /manifest-src 'self'/)
})

test('GET of /- is sent to /-/', async () => {
  const reply = await get('/-')
  assert.equal(reply.status, 308)
  assert.equal(field(reply, 'location'), '/-/')
})

for (const [acceptEncoding, coding, body] of [
  ['gzip, deflate, br', 'br', 'brotli'],
  ['gzip, deflate', 'gzip', 'gzip'],
  ['br;q=0, *;q=0.5', 'gzip', 'gzip'],
  ['BR', 'br', 'brotli'],
  ['identity', undefined, script],
  ['', undefined, script],
] as const) {
  test(`GET of an asset with Accept-Encoding "${acceptEncoding}" answers ${coding}`, async () => {
    const reply = await get('/-/assets/index-1.js', { 'accept-encoding': acceptEncoding })
    assert.equal(reply.status, 200)
    assert.equal(field(reply, 'content-encoding'), coding)
    assert.equal(field(reply, 'content-type'), 'text/javascript; charset=utf-8')
    assert.equal(field(reply, 'cache-control'), 'public, max-age=31536000, immutable')
    assert.equal(field(reply, 'vary'), 'Accept-Encoding')
    assert.equal(await text(reply), body)
  })
}

test('GET of an asset that is not compressed answers it as it is', async () => {
  const reply = await get('/-/assets/icon-1.svg', { 'accept-encoding': 'br' })
  assert.equal(field(reply, 'content-encoding'), undefined)
  assert.equal(field(reply, 'content-type'), 'image/svg+xml')
  assert.equal(await text(reply), '<svg/>')
})

test('GET of an asset of which there is only the gzip copy answers it to every client', async () => {
  for (const [accepted, coding] of [
    ['br, gzip', 'gzip'],
    ['identity', undefined],
  ] as const) {
    const reply = await get('/-/assets/packed-1.js', { 'accept-encoding': accepted })
    assert.equal(field(reply, 'content-encoding'), coding)
    const bytes =
      reply.body instanceof Uint8Array ? reply.body : Buffer.from(await text(reply), 'latin1')
    assert.equal(String(coding === 'gzip' ? gunzipSync(bytes) : bytes), 'packed')
  }
})

for (const name of [
  'index-2.js',
  'index-1.js.br',
  '../secret.js',
  '../../secret.js',
  '%2e%2e/secret.js',
  '..%2fsecret.js',
  'sub/index-1.js',
  '.hidden.js',
  '',
  'index-1.js\0.js',
  // A name of 255 bytes, which its compressed copies exceed, and a longer one.
  `${'a'.repeat(252)}.js`,
  `${'a'.repeat(300)}.js`,
]) {
  test(`GET of the asset ${JSON.stringify(name)} is 404`, async () => {
    const reply = await get(`/-/assets/${name}`)
    assert.equal(reply.status, 404)
    assert.equal(field(reply, 'cache-control'), 'no-store')
  })
}

test('POST is 405 and names the methods', async () => {
  const reply = await app(requestOf('POST', '/-/files'))
  assert.equal(reply.status, 405)
  assert.equal(field(reply, 'allow'), 'GET, HEAD')
})

test('GET without a built dashboard is 503 and names the command to run', async () => {
  const reply = await createWebApp({ folder: join(root, 'none') })(requestOf('GET', '/-/files'))
  assert.equal(reply.status, 503)
  assert.match(await text(reply), /npm run build/)
})

test('GET /favicon.ico answers the icon of the build, for a day', async () => {
  const reply = await get('/favicon.ico')
  assert.deepEqual([reply.status, await text(reply)], [200, 'icon'])
  assert.equal(field(reply, 'content-type'), 'image/x-icon')
  assert.match(field(reply, 'cache-control') ?? '', /max-age=86400/)
  const unbuilt = createWebApp({ folder: join(root, 'nowhere') })
  assert.equal((await unbuilt(requestOf('GET', '/favicon.ico'))).status, 404)
})
