/** What a bucket policy opens through the whole gateway, and what it leaves closed. */
import { type TestContext, test } from 'node:test'
import { startGatewayInProcess } from '../support/gateway-in-process.ts'
import { testBucket } from '../support/gateway-process.ts'
import { dashboardPassword, ManagementClient } from '../support/management-client.ts'
import { answer, type WireCase } from '../support/wire-case.ts'

const arn = (bucket: string) => `arn:aws:s3:::${bucket}`
const errors: Readonly<Record<number, string>> = { 403: 'AccessDenied', 404: 'NoSuchKey' }
const allow = (action: string | string[], resource: string, others: object = {}) => ({
  ...{ Effect: 'Allow', Principal: '*', Action: action, Resource: resource, ...others },
})

async function start(t: TestContext, settings: Readonly<Record<string, string>> = {}) {
  const gateway = await startGatewayInProcess(t, {
    ...{ COMPATIBILITY: 'aws', DASHBOARD_PASSWORD: dashboardPassword },
    ...{ ALLOWED_BUCKETS: `${testBucket},fixed,copies`, PUBLIC_READ_BUCKETS: 'fixed' },
    ...settings,
  })
  const ask = (wireCase: Omit<WireCase, 'title'>) =>
    answer(gateway, { title: `${wireCase.method} ${wireCase.target}`, ...wireCase })
  for (const key of ['images/a', 'other']) {
    await ask({ method: 'PUT', target: `/${testBucket}/${key}`, body: key, status: 200 })
  }
  const put = (...statements: object[]) =>
    ask({
      ...{ method: 'PUT', target: `/${testBucket}?policy`, status: 204 },
      body: JSON.stringify({ Version: '2012-10-17', Statement: statements }),
    })
  /** The status of a request without a signature. */
  const anyone = (status: number, target: string, method = 'GET') =>
    ask({
      ...{ method, target: `/${testBucket}${target}`, isUnsigned: true, status },
      ...(method !== 'HEAD' && status >= 400 && { code: errors[status] }),
    })
  return { gateway, ask, put, anyone }
}

test('A policy for a prefix opens its objects and nothing else', async (t) => {
  const { ask, put, anyone } = await start(t)
  await anyone(403, '/images/a')
  await put(allow('s3:GetObject', `${arn(testBucket)}/images/*`))
  await anyone(200, '/images/a')
  await anyone(200, '/images/a', 'HEAD')
  await anyone(404, '/images/b')
  for (const target of [
    '/other',
    '/other/images/a',
    '/images%2f..%2fother',
    '',
    '?list-type=2',
    '?list-type=2&prefix=images/',
    '?uploads',
    '?versions',
    '?location',
    '?policy',
    '?policyStatus',
    '?acl',
    '/images/a?acl',
    '/images/a?tagging',
    '/images/a?attributes',
    '/images/a?versionId=null',
    '/images/a?uploadId=x',
  ]) {
    await anyone(target.startsWith('/images%2f') ? 404 : 403, target)
  }
  await anyone(403, '', 'HEAD')
  await anyone(403, '/other', 'HEAD')
  for (const method of ['PUT', 'DELETE']) await anyone(403, '/images/a', method)
  await anyone(403, '/images/a?uploads', 'POST')
  // Removed: closed at once.
  await ask({ method: 'DELETE', target: `/${testBucket}?policy`, status: 204 })
  await anyone(403, '/images/a')
})

test('A policy may open the list, also of a prefix only', async (t) => {
  const { put, anyone } = await start(t, { PUBLIC_LIST: 'false' })
  await put(allow(['s3:ListBucket', 's3:GetBucketLocation'], arn(testBucket)))
  for (const target of ['', '?list-type=2', '?location']) await anyone(200, target)
  await anyone(200, '', 'HEAD')
  await anyone(403, '/images/a')
  await anyone(403, '?uploads')
  const Condition = { StringEquals: { 's3:prefix': 'images/' } }
  await put(allow('s3:ListBucket', arn(testBucket), { Condition }))
  await anyone(200, '?list-type=2&prefix=images/')
  for (const target of ['', '?prefix=', '?prefix=images', '?prefix=images%252F', '?location']) {
    await anyone(403, target)
  }
})

test('The policy and the switch of the dashboard are one state', async (t) => {
  const { gateway, ask, put, anyone } = await start(t)
  const management = await ManagementClient.signIn(gateway.url)
  const change = (isPublic: boolean) =>
    management.done('PATCH', `/buckets/${testBucket}`, { isPublic })
  const policy = { method: 'GET', target: `/${testBucket}?policy` }
  await change(true)
  await anyone(200, '/other')
  const { text } = await ask({ ...policy, status: 200 })
  await put(allow('s3:GetObject', `${arn(testBucket)}/images/*`))
  await anyone(403, '/other')
  await anyone(200, '/images/a')
  const { isPublic, openByPolicy } = await change(false)
  t.assert.deepEqual([isPublic, openByPolicy], [false, []])
  await anyone(403, '/images/a')
  await ask({ ...policy, status: 404, code: 'NoSuchBucketPolicy' })
  // What it returned for the public bucket is a policy that can be put.
  await put(...(JSON.parse(text).Statement as object[]))
  await anyone(200, '/other')
  await anyone(200, '?list-type=2')
  await change(true)
  await ask({ method: 'DELETE', target: `/${testBucket}?policy`, status: 204 })
  await anyone(403, '/other')
})

test('PUBLIC_READ_BUCKETS is not changed by a policy', async (t) => {
  const { ask } = await start(t)
  const fixed = { target: '/fixed?policy', status: 400, code: 'InvalidRequest' }
  const body = JSON.stringify({ Statement: [] })
  await ask({ ...fixed, method: 'PUT', body })
  await ask({ ...fixed, method: 'DELETE' })
})

test('PublicAccessBlock: each field', async (t) => {
  const { ask, put, anyone } = await start(t, { ACLS: 'bucket' })
  const block = (...names: string[]) =>
    ask({
      ...{ method: 'PUT', target: `/${testBucket}?publicAccessBlock`, status: 200 },
      body: `<PublicAccessBlockConfiguration>${names.map((name) => `<${name}>true</${name}>`).join('')}</PublicAccessBlockConfiguration>`,
    })
  const acl = (status: number, code?: string) =>
    ask({
      ...{ method: 'PUT', target: `/${testBucket}?acl`, headers: { 'x-amz-acl': 'public-read' } },
      ...{ status, ...(code && { code }) },
    })
  await block('BlockPublicAcls')
  await acl(403, 'AccessDenied')
  await block('IgnorePublicAcls')
  await acl(200)
  await anyone(403, '/other')
  await block('BlockPublicPolicy')
  await anyone(200, '/other')
  const policy = JSON.stringify({ Statement: [allow('s3:GetObject', `${arn(testBucket)}/*`)] })
  const refused = { method: 'PUT', target: `/${testBucket}?policy`, status: 403 }
  await ask({ ...refused, body: policy, code: 'AccessDenied' })
  await block('RestrictPublicBuckets')
  await put(allow('s3:GetObject', `${arn(testBucket)}/*`))
  await anyone(403, '/other')
  await ask({ method: 'DELETE', target: `/${testBucket}?publicAccessBlock`, status: 204 })
  await anyone(200, '/other')
})

test('A key without a right for the bucket reads what the policy opens, and can copy it', async (t) => {
  const { gateway, put } = await start(t)
  const management = await ManagementClient.signIn(gateway.url)
  const grants = [{ bucket: 'copies', prefix: '', actions: ['read', 'write'] }]
  const { key, secretKey } = await management.done('POST', '/keys', { name: 'other', grants })
  const credentials = { ...gateway.credentials, accessKey: key.accessKeyId, secretKey }
  const holder = { ...gateway, credentials }
  const other = (wireCase: Omit<WireCase, 'title'>) =>
    answer(holder, { title: `${wireCase.method} ${wireCase.target}`, ...wireCase })
  const copy = (source: string, status: number, code?: string) =>
    other({
      ...{ method: 'PUT', target: '/copies/a', status, ...(code && { code }) },
      headers: { 'x-amz-copy-source': `/${testBucket}/${source}` },
    })
  await copy('images/a', 403, 'AccessDenied')
  await put(allow('s3:GetObject', `${arn(testBucket)}/images/*`))
  await copy('images/a', 200)
  await copy('other', 403, 'AccessDenied')
  await copy('images/a?versionId=null', 403, 'AccessDenied')
  const read = { method: 'GET', target: `/${testBucket}/images/a` }
  await other({ ...read, status: 200, text: 'images/a' })
  await other({ ...read, target: `/${testBucket}/other`, status: 403, code: 'AccessDenied' })
  await other({ ...read, target: `/${testBucket}?policy`, status: 403, code: 'AccessDenied' })
  await other({ ...read, method: 'PUT', status: 403, code: 'AccessDenied' })
})
