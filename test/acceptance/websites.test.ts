/** Static websites of buckets, on host names of their own. */
import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import { type TestContext, test } from 'node:test'
import { type GatewayInProcess, startGatewayInProcess } from '../support/gateway-in-process.ts'
import { exchange } from '../support/wire-case.ts'

const site = 'blog.web.example.net'
const settings = {
  ...{ COMPATIBILITY: 'aws', WEBSITE_DOMAINS: 'web.example.net', ALLOWED_BUCKETS: 'blog,closed' },
  PUBLIC_READ_BUCKETS: 'blog',
}

interface Page {
  readonly status: number
  readonly text: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

/** A request of a browser, without normalisation of the path. */
function visit(
  { port }: Pick<GatewayInProcess, 'port'>,
  path: string,
  more: { readonly host?: string; readonly method?: string; readonly headers?: object } = {},
): Promise<Page> {
  const { host = `${site}:${port}`, method = 'GET', headers = {} } = more
  return new Promise((resolve, reject) => {
    const asked = httpRequest({ port, path, method, headers: { ...headers, host } }, (reply) => {
      let text = ''
      reply.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      reply.on('end', () =>
        resolve({ status: reply.statusCode ?? 0, text, headers: reply.headers }),
      )
    })
    asked.on('error', reject).end()
  })
}

const config = (inner: string) => `<WebsiteConfiguration>${inner}</WebsiteConfiguration>`
const index = '<IndexDocument><Suffix>index.html</Suffix></IndexDocument>'
const errorDocument = '<ErrorDocument><Key>errors/404.html</Key></ErrorDocument>'
const rule = (condition: string, redirect: string) =>
  `<RoutingRule>${condition && `<Condition>${condition}</Condition>`}<Redirect>${redirect}</Redirect></RoutingRule>`
const rules = (...all: string[]) => `<RoutingRules>${all.join('')}</RoutingRules>`

async function configure(gateway: GatewayInProcess, body: string, bucket = 'blog') {
  const reply = await exchange(gateway, { method: 'PUT', target: `/${bucket}?website`, body })
  assert.equal(reply.status, 200, reply.text)
}

async function start(t: TestContext, more: Readonly<Record<string, string>> = {}) {
  const gateway = await startGatewayInProcess(t, { ...settings, ...more })
  const html = { 'content-type': 'text/html' }
  const put = async (key: string, body: string, headers = {}) => {
    const sent = { method: 'PUT', target: `/blog/${key}`, body, headers: { ...html, ...headers } }
    assert.equal((await exchange(gateway, sent)).status, 200)
  }
  await put('index.html', 'home')
  await put('docs/index.html', 'docs')
  await put('about.html', 'about <script>')
  await put('errors/404.html', 'own page')
  await put('%5Cevil.example/index.html', 'behind a backslash')
  await put('secret.html', 'hidden', { 'x-amz-acl': 'private' })
  return gateway
}

test('a website sends index documents, redirects folders and keeps the status of errors', async (t) => {
  const gateway = await start(t)
  assert.equal((await visit(gateway, '/')).status, 404)
  assert.match((await visit(gateway, '/')).text, /NoSuchWebsiteConfiguration/)
  await configure(gateway, config(index))
  for (const [path, text] of [
    ['/', 'home'],
    ['/docs/', 'docs'],
    ['/about.html', 'about <script>'],
    ['/about.html?acl&versionId=x&uploads', 'about <script>'],
  ] as const) {
    const page = await visit(gateway, path)
    assert.deepEqual([page.status, page.text], [200, text], path)
    assert.equal(page.headers['content-type'], 'text/html')
    assert.equal(page.headers['content-security-policy'], undefined, 'scripts of the page run')
  }
  const folder = await visit(gateway, '/docs?a=1')
  assert.deepEqual([folder.status, folder.headers.location], [302, '/docs/?a=1'])
  const absent = await visit(gateway, '/none.html')
  assert.equal(absent.status, 404)
  assert.match(String(absent.headers['content-type']), /^text\/html/)
  assert.match(absent.text, /404 Not Found.*NoSuchKey/s)
  assert.equal((await visit(gateway, '/secret.html')).status, 403, 'a private object')
  await configure(gateway, config(index + errorDocument))
  const own = await visit(gateway, '/none.html', { headers: { range: 'bytes=0-1' } })
  assert.deepEqual([own.status, own.text, own.headers.etag], [404, 'own page', undefined])
  const head = await visit(gateway, '/none.html', { method: 'HEAD' })
  assert.deepEqual([head.status, head.text, head.headers['content-length']], [404, '', '8'])
  const { etag } = (await visit(gateway, '/about.html')).headers
  const cached = await visit(gateway, '/about.html', { headers: { 'if-none-match': etag } })
  assert.equal(cached.status, 304)
  const range = await visit(gateway, '/about.html', { headers: { range: 'bytes=0-4' } })
  assert.deepEqual([range.status, range.text], [206, 'about'])
})

test('routing rules redirect by prefix and by status, and all requests can go elsewhere', async (t) => {
  const gateway = await start(t)
  const prefix = (text: string) => `<KeyPrefixEquals>${text}</KeyPrefixEquals>`
  const returned = '<HttpErrorCodeReturnedEquals>404</HttpErrorCodeReturnedEquals>'
  await configure(
    gateway,
    config(
      index +
        rules(
          rule(prefix('old/'), '<ReplaceKeyPrefixWith>new/</ReplaceKeyPrefixWith>'),
          rule(prefix('away/'), '<HostName>example.org</HostName><Protocol>https</Protocol>'),
          rule(prefix('slash/'), '<ReplaceKeyPrefixWith>/</ReplaceKeyPrefixWith>'),
          rule(
            prefix('app/') + returned,
            '<ReplaceKeyWith>#!/é</ReplaceKeyWith><HttpRedirectCode>302</HttpRedirectCode>',
          ),
        ),
    ),
  )
  const targets: Readonly<Record<string, readonly [number, string | undefined]>> = {
    '/old/a%20b.html': [301, '/new/a%20b.html'],
    '/away/x%0d%0aSet-Cookie:a': [301, 'https://example.org/away/x%0D%0ASet-Cookie%3Aa'],
    '/slash/evil.example': [301, '/.//evil.example'],
    '/app/none': [302, '/#!/%C3%A9'],
    '/other/none': [404, undefined],
    '//evil.example/old': [404, undefined],
    // Browsers take a backslash for a slash.
    '/\\evil.example': [302, '/./\\evil.example/'],
  }
  for (const [path, expected] of Object.entries(targets)) {
    const { status, headers } = await visit(gateway, path)
    assert.deepEqual([status, headers.location], expected, path)
  }
  const all = '<RedirectAllRequestsTo><HostName>www.example.org</HostName></RedirectAllRequestsTo>'
  await configure(gateway, config(all))
  const { status, headers } = await visit(gateway, '/a?b=c')
  assert.deepEqual([status, headers.location], [301, 'http://www.example.org/a?b=c'])
  const shown = await exchange(gateway, { method: 'GET', target: '/blog?website' })
  assert.match(shown.text, /<HostName>www.example.org<\/HostName>/)
})

test('the host of a website is nothing else, and a website has no other host', async (t) => {
  const gateway = await start(t, {
    ...{ PUBLIC_URL: 'http://s3.web.example.net', DASHBOARD_PASSWORD: 'p'.repeat(12) },
    VIRTUAL_HOST_DOMAINS: 'virtual.web.example.net,example.net',
  })
  await configure(gateway, config(index))
  for (const path of [
    '/-/',
    '/-/healthz',
    '/-/api/status',
    '/auth/login',
    '/v1/models',
    '/minio/health/live',
  ]) {
    const page = await visit(gateway, path)
    assert.match(page.text, /404 Not Found/, path)
  }
  for (const method of ['PUT', 'POST', 'DELETE', 'PATCH']) {
    assert.equal((await visit(gateway, '/index.html', { method })).status, 405, method)
  }
  const unknown = await visit(gateway, '/', { host: 'nobody.web.example.net' })
  assert.match(unknown.text, /NoSuchBucket/)
  const s3 = [
    's3.web.example.net',
    'blog.virtual.web.example.net',
    'blog.example.net',
    'other.test',
  ]
  for (const host of s3) {
    const { text, headers } = await visit(gateway, '/index.html', { host })
    assert.notEqual(headers['content-security-policy'] ?? text, 'home', host)
    assert.doesNotMatch(text, /<h1>/, host)
  }
  const signed = await exchange(gateway, { method: 'GET', target: '/blog/secret.html' })
  assert.equal(signed.text, 'hidden')
  const bearer = { authorization: 'Bearer x', 'x-amz-security-token': 'x' }
  assert.equal((await visit(gateway, '/index.html', { headers: bearer })).text, 'home')
})

test('what the bucket does not open is 403, and a bucket may have the whole name', async (t) => {
  const named = 'www.web.example.net'
  const gateway = await start(t, { ALLOWED_BUCKETS: `blog,closed,${named}` })
  await configure(gateway, config(index), 'closed')
  const put = { method: 'PUT', target: `/${named}/index.html`, body: 'by name' }
  assert.equal((await exchange(gateway, put)).status, 200)
  assert.equal((await visit(gateway, '/', { host: 'closed.web.example.net' })).status, 403)
  await configure(gateway, config(index), named)
  assert.equal((await visit(gateway, '/', { host: named })).status, 403)
  const policy = JSON.stringify({
    Statement: {
      Effect: 'Allow',
      Principal: '*',
      Action: 's3:GetObject',
      Resource: `arn:aws:s3:::${named}/*`,
    },
  })
  await exchange(gateway, { method: 'PUT', target: `/${named}?policy`, body: policy })
  assert.equal((await visit(gateway, '/', { host: named })).text, 'by name')
  await exchange(gateway, { method: 'DELETE', target: `/${named}?website` })
  assert.match((await visit(gateway, '/', { host: named })).text, /NoSuchWebsiteConfiguration/)
})

test('a website configuration that is not one is refused, and so is one without WEBSITE_DOMAINS', async (t) => {
  const gateway = await start(t)
  const redirects = (inner: string) => config(index + rules(rule('', inner)))
  const wrong = [
    [config(''), 'MalformedXML'],
    [config(errorDocument), 'MalformedXML'],
    [config('<IndexDocument><Suffix/></IndexDocument>'), 'InvalidArgument'],
    [
      config(`${index}<RedirectAllRequestsTo><HostName>a</HostName></RedirectAllRequestsTo>`),
      'MalformedXML',
    ],
    [redirects(''), 'MalformedXML'],
    [redirects('<HostName>a b</HostName>'), 'InvalidArgument'],
    [redirects('<HostName>a/b?c</HostName>'), 'InvalidArgument'],
    [redirects('<Protocol>javascript</Protocol>'), 'InvalidRequest'],
    [redirects('<HttpRedirectCode>200</HttpRedirectCode>'), 'InvalidRequest'],
    [
      config(index + rules(...Array(51).fill(rule('', '<HostName>a</HostName>')))),
      'InvalidRequest',
    ],
  ] as const
  for (const [body, code] of wrong) {
    const { status, text } = await exchange(gateway, {
      method: 'PUT',
      target: '/blog?website',
      body,
    })
    assert.equal(status, 400, text)
    assert.match(text, new RegExp(`<Code>${code}</Code>`))
  }
  const without = await startGatewayInProcess(t, { COMPATIBILITY: 'aws' })
  const target = `/${without.bucket}?website`
  const refused = await exchange(without, { method: 'PUT', target, body: config(index) })
  assert.equal(refused.status, 501)
  assert.match(refused.text, /WEBSITE_DOMAINS/)
})
