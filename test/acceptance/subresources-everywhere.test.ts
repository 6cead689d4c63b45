/** Every sub-resource at every level with every method: none is taken for the plain operation. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type GatewayInProcess, startGatewayInProcess } from '../support/gateway-in-process.ts'
import { testBucket } from '../support/gateway-process.ts'
import { formRequest } from '../support/post-form.ts'
import { sdkSubresources } from '../support/sdk-subresources.ts'
import { presignTarget } from '../support/signed-request.ts'
import { shareOf } from '../support/test-groups.ts'
import { exchange, type WireReply } from '../support/wire-case.ts'

const methods = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE']
const subresources = sdkSubresources()
/** Operations of the contract: 405 for their other methods also in its mode, not 501. */
const ofContract = ['attributes', 'delete', 'location', 'uploadId', 'uploads']
const object = `/${testBucket}/object`
/** A bucket that DELETE would remove, and a name that PUT would create. */
const emptyBucket = '/empty'
const newBucket = '/new'

type Send = (gateway: GatewayInProcess, method: string, target: string) => Promise<WireReply>

const bodyOf = (method: string) => (method === 'PUT' || method === 'POST' ? { body: 'other' } : {})

const senders: Readonly<Record<string, Send>> = {
  signed: (gateway, method, target) => exchange(gateway, { method, target, ...bodyOf(method) }),
  presigned: async (gateway, method, target) => {
    const { host, credentials } = gateway
    const presigned = presignTarget({ method, target, host, expiresSeconds: 60 }, credentials)
    const request = { method, target: presigned, isUnsigned: true, ...bodyOf(method) }
    return await exchange(gateway, request)
  },
}

async function start(t: TestContext, mode: string, creation: string) {
  const gateway = await startGatewayInProcess(t, {
    ...{ COMPATIBILITY: mode, BUCKET_CREATION: creation, LOG_LEVEL: 'error' },
    ...{ ACLS: 'refuse', SERVER_SIDE_ENCRYPTION: 'refuse' },
  })
  if (creation === 'on') await exchange(gateway, { method: 'PUT', target: emptyBucket })
  await exchange(gateway, { method: 'PUT', target: object, body: 'kept' })
  return gateway
}

/** Everything that a plain operation could change. */
async function contents(gateway: GatewayInProcess): Promise<string> {
  const of = async (target: string) => (await exchange(gateway, { method: 'GET', target })).text
  const keys = (text: string) => [...text.matchAll(/<(?:Key|Name|Size)>[^<]*/g)].join()
  const listed = [await of('/'), await of(`/${testBucket}`)].map(keys)
  return [await of(object), ...listed].join(';')
}

/** The status of what S3 does not have: a write of a sub-resource that is not implemented is 501 in the contract. */
function refusalOf(mode: string, name: string, method: string): number {
  const isWrite = method !== 'GET' && method !== 'HEAD'
  return isWrite && mode === 'contract' && !ofContract.includes(name) ? 501 : 405
}

const modes = ['contract', 'aws'].flatMap((mode) =>
  ['off', 'on'].flatMap((creation) => Object.keys(senders).map((form) => [mode, creation, form])),
)

for (const [mode = '', creation = '', form = ''] of shareOf(modes, 4)) {
  test(`${form} requests with COMPATIBILITY=${mode}, BUCKET_CREATION=${creation}`, async (t) => {
    const gateway = await start(t, mode, creation)
    const before = await contents(gateway)
    const bucketTargets = creation === 'on' ? [emptyBucket, newBucket] : [`/${testBucket}`]
    const targets = ['/', object, ...bucketTargets]
    const pairs = methods.flatMap((method) => targets.map((target) => ({ method, target })))
    for (const [name, has] of subresources) {
      for (const { method, target } of pairs) {
        const what = `${method} ${target}?${name}=1`
        const reply = await senders[form]?.(gateway, method, `${target}?${name}=1`)
        assert.ok(reply)
        const level = target === object ? 'object' : 'bucket'
        if (target === '/' || !has.has(`${level} ${method}`))
          assert.equal(reply.status, refusalOf(mode, name, method), what)
        if (reply.status === 405) assertSaysWhatIsAllowed(reply, method, what)
        // Not a plain read. Listings of versions and uploads have roots of their own.
        assert.doesNotMatch(reply.text, /^kept|<ListBucketResult|<ListAllMyBuckets/, what)
      }
      assert.equal(await contents(gateway), before, name)
    }
  })
}

function assertSaysWhatIsAllowed(
  { headers, text }: { readonly headers: Headers; readonly text: string },
  method: string,
  what: string,
): void {
  assert.notEqual(headers.get('allow'), null, what)
  if (method !== 'HEAD') assert.match(text, /method is not allowed against/, what)
}

test('two sub-resources contradict each other, whatever the method', async (t) => {
  const gateway = await start(t, 'aws', 'on')
  const before = await contents(gateway)
  for (const query of [
    'uploads&location',
    'location&uploads',
    'uploads&uploadId=x',
    'acl&policy',
  ]) {
    for (const target of [object, emptyBucket, newBucket]) {
      for (const method of methods) {
        const sent = { method, target: `${target}?${query}`, ...bodyOf(method) }
        const { status, text } = await exchange(gateway, sent)
        assert.equal(status, 400, `${method} ${sent.target}`)
        if (method === 'HEAD') continue
        const sorted = query.replace('=x', '').split('&').sort()
        assert.match(text, /<Code>InvalidArgument</)
        assert.match(text, new RegExp(`: ${sorted.join(', ')}<`))
      }
    }
  }
  assert.equal(await contents(gateway), before)
})

test('parameters that are no sub-resources are ignored, or options', async (t) => {
  const gateway = await start(t, 'contract', 'on')
  const options = [
    'foo',
    'x-id=GetObject',
    'Lifecycle',
    'versionId=null',
    'partNumber=1',
    'response-content-language=de',
  ]
  for (const query of options) {
    for (const method of ['GET', 'HEAD']) {
      const { status } = await exchange(gateway, { method, target: `${object}?${query}` })
      assert.ok(status === 200 || status === 206, `${method} ?${query}: ${status}`)
    }
  }
  const listed = await exchange(gateway, {
    method: 'GET',
    target: `/${testBucket}?list-type=2&foo`,
  })
  assert.match(listed.text, /<ListBucketResult.*<Key>object</)
  const removal = { method: 'DELETE', target: `${object}?partNumber=1` }
  assert.equal((await exchange(gateway, removal)).status, 400)
  const removed = await exchange(gateway, {
    method: 'DELETE',
    target: `${object}?x-id=DeleteObject`,
  })
  assert.equal(removed.status, 204)
})

test('a form to a sub-resource uploads nothing', async (t) => {
  const gateway = await start(t, 'aws', 'on')
  const before = await contents(gateway)
  const form = formRequest(
    { bucket: testBucket, fields: [['key', 'new']], file: 'new' },
    gateway.credentials,
  )
  for (const name of subresources.keys()) {
    for (const target of [`/${testBucket}`, object]) {
      const sent = { ...form, target: `${target}?${name}`, isUnsigned: true }
      const { status } = await exchange(gateway, sent)
      assert.ok(status >= 400, sent.target)
    }
  }
  assert.equal(await contents(gateway), before)
})
