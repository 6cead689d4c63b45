/** Forms through the whole gateway: what they may ask for, and who may send them. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type GatewayInProcess, startGatewayInProcess } from '../support/gateway-in-process.ts'
import { testBucket, testCredentials } from '../support/gateway-process.ts'
import { dashboardPassword, ManagementClient } from '../support/management-client.ts'
import {
  type FormToPost,
  filenameVariable,
  formBody,
  formRequest,
  signedFields,
} from '../support/post-form.ts'
import { md5Of } from '../support/test-bytes.ts'
import { answer, exchange, type WireCase } from '../support/wire-case.ts'

const start = (t: TestContext, settings: Readonly<Record<string, string>> = {}) =>
  startGatewayInProcess(t, { COMPATIBILITY: 'aws', ...settings })

type Form = Omit<FormToPost, 'bucket'>
const request = (form: Form, credentials = testCredentials) => ({
  ...formRequest({ bucket: testBucket, ...form }, credentials),
  isUnsigned: true,
})
const read = (key: string) => ({ method: 'GET', target: `/${testBucket}/${key}`, title: key })

async function post(gateway: GatewayInProcess, form: Form, expected: Partial<WireCase> = {}) {
  return await answer(gateway, { title: '', status: 204, ...request(form), ...expected })
}

async function refused(gateway: GatewayInProcess, form: Form, status: number, code: string) {
  const { xml } = await post(gateway, form, { status, code })
  await answer(gateway, { ...read('k'), status: 404, code: 'NoSuchKey' })
  return xml.Error as Readonly<Record<string, string>>
}

const anyKey = ['starts-with', '$key', ''] as const

for (const version of [2, 4] as const) {
  test(`Version ${version}: fields are attributes of the object`, async (t) => {
    const gateway = await start(t, { ACLS: 'ignore' })
    const fields = [
      ['Key', `user/${filenameVariable}`],
      ['acl', 'public-read'],
      ['Content-Type', 'text/plain; ä'],
      ['Cache-Control', 'no-cache'],
      ['x-amz-meta-Name', 'one'],
      ['X-Amz-Meta-Name', 'two'],
      ['x-ignore-this', 'x'],
      ['Content-MD5', 'S+ME6EtLmYMk0Q8S8vu2Zw=='],
    ] as const
    const conditions = [
      ['starts-with', '$key', 'user/'],
      { ACL: 'public-read' },
      ['Starts-With', '$content-type', 'text/'],
      ['eq', '$Cache-Control', 'no-cache'],
      ['eq', '$x-amz-meta-name', 'one,two'],
      ['starts-with', '$Content-MD5', ''],
      ['content-length-range', 1, 5],
    ]
    const form = { version, conditions, filename: 'C:\\dir\\a b.txt' }
    await post(gateway, { ...form, fields }, { status: 400, code: 'BadDigest' })
    const right = Buffer.from(md5Of(Buffer.from('bytes')), 'hex').toString('base64')
    const sent = fields.map(
      ([name, value]) => [name, name === 'Content-MD5' ? right : value] as const,
    )
    await post(gateway, { ...form, fields: sent })
    await answer(gateway, {
      ...{ ...read('user/a%20b.txt'), status: 200, text: 'bytes' },
      fields: {
        'content-type': Buffer.from('text/plain; ä').toString('latin1'),
        ...{ 'cache-control': 'no-cache', 'x-amz-meta-name': 'one,two' },
      },
    })
  })
}

test('The tags of a form are those of the object', async (t) => {
  const gateway = await start(t)
  const tag = (key: string) => `<Tag><Key>${key}</Key><Value>a b+c</Value></Tag>`
  const tagged = (tags: string) => ({
    fields: [
      ['key', 'k'],
      ['tagging', `<Tagging><TagSet>${tags}</TagSet></Tagging>`],
    ] as const,
  })
  await refused(gateway, tagged(tag('k') + tag('k')), 400, 'InvalidTag')
  await post(gateway, tagged(tag('kind=&amp;+')), { status: 400, code: 'InvalidTag' })
  await post(gateway, tagged(tag('kind=+')))
  const { xml } = await answer(gateway, {
    ...{ method: 'GET', target: `/${testBucket}/k?tagging`, title: '', status: 200 },
  })
  const { TagSet } = xml.Tagging as Readonly<Record<string, unknown>>
  assert.deepEqual(TagSet, { Tag: { Key: 'kind=+', Value: 'a b+c' } })
})

test('success_action_status and success_action_redirect', async (t) => {
  const gateway = await start(t)
  const reply = (name: string, value: string) =>
    exchange(
      gateway,
      request({
        fields: [
          ['key', 'a&b'],
          [name, value],
        ],
      }),
    )
  for (const [status, expected] of [
    ['200', 200],
    ['201', 201],
    ['204', 204],
    ['404', 204],
  ] as const) {
    const { status: got, text, headers } = await reply('success_action_status', status)
    assert.equal(got, expected)
    assert.equal(headers.get('location'), `${gateway.url}/${testBucket}/a%26b`)
    if (got === 201)
      assert.match(
        text,
        /<PostResponse><Location>[^<]*<\/Location><Bucket>photos<\/Bucket><Key>a&amp;b<\/Key><ETag>"4b3a/,
      )
    else assert.equal(text, '')
  }
  const redirected = async (name: string, url: string) => {
    const { method, target, ...init } = request({
      fields: [
        ['key', 'a&b'],
        [name, url],
      ],
    })
    const sent = await fetch(`${gateway.url}${target}`, { method, redirect: 'manual', ...init })
    return [sent.status, sent.headers.get('location')]
  }
  const query = `bucket=${testBucket}&key=a%26b&etag=%22${md5Of(Buffer.from('bytes'))}%22`
  for (const name of ['success_action_redirect', 'redirect']) {
    const to = 'https://a.example/b?c=d'
    assert.deepEqual(await redirected(name, to), [303, `${to}&${query}`])
    assert.deepEqual(await redirected(name, 'http://a.example#f'), [
      303,
      `http://a.example/?${query}#f`,
    ])
  }
  for (const url of [
    'javascript:alert(1)',
    '/x',
    '//x',
    'http://',
    'http://a\r\nSet-Cookie: b',
    'https://a.example/\u0000',
  ]) {
    const [status] = await redirected('success_action_redirect', url)
    assert.equal(status, 204, url)
  }
})

test('content-length-range holds for the bytes of the file', async (t) => {
  const gateway = await start(t)
  const form = (size: number): Form => ({
    ...{ fields: [['key', 'k']], file: Buffer.alloc(size, 'x') },
    conditions: [anyKey, ['content-length-range', 3, 2_000_000]],
  })
  const small = await refused(gateway, form(2), 400, 'EntityTooSmall')
  assert.deepEqual([small.ProposedSize, small.MinSizeAllowed], ['2', '3'])
  const large = await refused(gateway, form(9_000_000), 400, 'EntityTooLarge')
  assert.equal(large.MaxSizeAllowed, '2000000')
  await refused(gateway, form(2_000_001), 400, 'EntityTooLarge')
  await post(gateway, form(2_000_000))
  await answer(gateway, { ...read('k'), status: 200, fields: { 'content-length': '2000000' } })
})

const past = new Date(Date.now() - 1_000).toISOString()

test('the signature must be that of a key for this policy', async (t) => {
  const gateway = await start(t, { REGIONS: testCredentials.region })
  const other = { ...testCredentials, secretKey: 'other' }
  const unknown = { ...testCredentials, accessKey: 'unknown' }
  const form: Form = { fields: [['key', 'k']] }
  const send = async (fields: readonly (readonly [string, string])[]) => {
    const { type, body } = formBody(fields)
    const sent = { method: 'POST', target: `/${testBucket}`, body, isUnsigned: true }
    const { status, xml } = await exchange(gateway, { ...sent, headers: { 'content-type': type } })
    return `${status} ${(xml.Error as { Code?: string } | undefined)?.Code ?? ''}`
  }
  for (const version of [2, 4] as const) {
    const signed = (credentials = testCredentials) =>
      signedFields({ bucket: testBucket, ...form, version }, credentials)
    const without = (name: string) => signed().filter(([field]) => field !== name)
    assert.equal(await send(signed(other)), '403 SignatureDoesNotMatch')
    assert.equal(await send(signed(unknown)), '403 InvalidAccessKeyId')
    assert.equal(await send(without('policy')), '403 AccessDenied')
    assert.equal(await send([['key', 'k']]), '403 AccessDenied')
    for (const name of [
      'signature',
      'x-amz-signature',
      'AWSAccessKeyId',
      'x-amz-date',
      'x-amz-credential',
    ]) {
      if (without(name).length < signed().length)
        assert.equal(await send(without(name)), '400 InvalidArgument', name)
    }
    for (const name of ['policy', 'signature', 'x-amz-signature', 'x-amz-credential']) {
      const [twice] = signed().filter(([field]) => field === name)
      if (twice !== undefined) assert.match(await send([...signed(), twice]), /^40[03] /, name)
    }
  }
  const elsewhere = { ...testCredentials, region: 'eu-west-9' }
  const foreign = signedFields({ bucket: testBucket, ...form }, elsewhere)
  assert.equal(await send(foreign), '400 AuthorizationQueryParametersError')
  await answer(gateway, { ...read('k'), status: 404, code: 'NoSuchKey' })
  const line = gateway.lines.find((entry) => entry.code === 'AccessDenied' && 'status' in entry)
  assert.deepEqual([line?.operation, line?.anonymous], ['PostObject', true])
})

test('a form ends with its access key, and counts for its limit', async (t) => {
  const gateway = await start(t, { DASHBOARD_PASSWORD: dashboardPassword })
  const management = await ManagementClient.signIn(gateway.url)
  const grants = [{ bucket: testBucket, prefix: 'user/', actions: ['write'] }]
  const limits = { requestsPerSecond: 1 }
  const { key, secretKey } = await management.done('POST', '/keys', { name: 'app', grants, limits })
  const credentials = { ...testCredentials, accessKey: key.accessKeyId, secretKey }
  const status = async (name: string) =>
    (await exchange(gateway, request({ fields: [['key', name]] }, credentials))).status
  const seen = [await status('user/a'), await status('user/b'), await status('user/c')]
  assert.ok(seen.includes(204) && seen.every((one) => one === 204 || one === 503), String(seen))
  await management.done('PATCH', `/keys/${key.accessKeyId}`, { limits: {} })
  assert.equal(await status('user/a'), 204)
  assert.equal(await status('other/a'), 403)
  await management.done('DELETE', `/keys/${key.accessKeyId}`)
  assert.equal(await status('user/a'), 403)
})

test('a page of another origin may read the reply if the bucket or the gateway allows it', async (t) => {
  const origin = 'https://app.example'
  const gateway = await start(t, { CORS_ALLOWED_ORIGINS: origin, BUCKET_CREATION: 'on' })
  const good = request({ fields: [['key', 'a']] })
  const bad = request({ fields: [['key', 'a']], expiration: past })
  const allowed = async (sent: typeof good) => {
    const headers = { ...sent.headers, origin }
    return (await exchange(gateway, { ...sent, headers })).headers.get(
      'access-control-allow-origin',
    )
  }
  assert.deepEqual([await allowed(good), await allowed(bad)], [origin, origin])
  const rules = `<CORSConfiguration><CORSRule><AllowedMethod>METHOD</AllowedMethod><AllowedOrigin>${origin}</AllowedOrigin></CORSRule></CORSConfiguration>`
  for (const [method, expected] of [
    ['GET', null],
    ['POST', origin],
  ] as const) {
    const put = {
      method: 'PUT',
      target: `/${testBucket}?cors`,
      body: rules.replace('METHOD', method),
    }
    await answer(gateway, { title: '', ...put, status: 200 })
    assert.deepEqual([await allowed(good), await allowed(bad)], [expected, expected])
  }
})
