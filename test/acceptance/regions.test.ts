/** REGIONS: regions that clients may sign for, and create buckets in. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startGatewayInProcess } from '../support/gateway-in-process.ts'
import { testBucket } from '../support/gateway-process.ts'
import { answer, type WireCase } from '../support/wire-case.ts'

const target = `/${testBucket}`
const located = (region: string) =>
  `<CreateBucketConfiguration><LocationConstraint>${region}</LocationConstraint></CreateBucketConfiguration>`

async function start(t: TestContext, settings: Record<string, string>) {
  const gateway = await startGatewayInProcess(t, { BUCKET_CREATION: 'on', ...settings })
  return (region: string, wireCase: Omit<WireCase, 'title'>) => {
    const credentials = { ...gateway.credentials, region }
    return answer({ ...gateway, credentials }, { title: '', ...wireCase })
  }
}

test('by default, clients sign for REGION', async (t) => {
  const ask = await start(t, {})
  await ask('us-east-1', { method: 'GET', target, status: 200 })
  const denied = { status: 403, code: 'AccessDenied', error: { Region: 'us-east-1' } }
  await ask('auto', { method: 'GET', target, ...denied })
})

test('a list allows these and REGION', async (t) => {
  const ask = await start(t, { REGIONS: 'eu-west-1,auto' })
  for (const region of ['us-east-1', 'eu-west-1', 'auto']) {
    await ask(region, { method: 'GET', target, status: 200 })
  }
  await ask('', { method: 'GET', target, status: 403, code: 'AccessDenied' })
  await ask('eu-west-2', { method: 'GET', target, status: 403, code: 'AccessDenied' })
})

test('COMPATIBILITY=aws with a list names the region, as AWS does', async (t) => {
  const ask = await start(t, { COMPATIBILITY: 'aws', REGIONS: 'eu-west-1', REGION: 'eu-central-1' })
  await ask('eu-west-1', { method: 'GET', target, status: 200 })
  const refusal = await ask('us-east-1', {
    ...{ method: 'GET', target, status: 400, code: 'AuthorizationHeaderMalformed' },
    error: { Region: 'eu-central-1' },
    fields: { 'x-amz-bucket-region': 'eu-central-1' },
  })
  assert.match(refusal.text, /the region 'us-east-1' is wrong; expecting 'eu-central-1'/)
  await ask('us-east-1', {
    ...{ method: 'HEAD', target, status: 400 },
    fields: { 'x-amz-bucket-region': 'eu-central-1' },
  })
})

test('COMPATIBILITY=aws accepts every region, in signatures and as the location of a bucket', async (t) => {
  const ask = await start(t, { COMPATIBILITY: 'aws' })
  // git-annex and libcloud sign for the host of an endpoint without a region in its name, mc admin for no region.
  const ofHosts = ['', '127.0.0.1', 's3.example.net', 'localhost:9000', '[::1]:9000']
  for (const region of ['us-east-1', 'auto', 'dummy', 'eu-west-1', ...ofHosts]) {
    await ask(region, { method: 'GET', target, status: 200 })
  }
  const status = { status: 400, code: 'AuthorizationHeaderMalformed' }
  for (const region of ['x'.repeat(65), 'a b', 'é', '*']) {
    await ask(region, { method: 'GET', target, ...status })
  }
  await ask('eu-west-1', { method: 'PUT', target: '/new', body: located('eu-west-1'), status: 200 })
  await ask('auto', {
    ...{ method: 'HEAD', target: '/new', status: 200 },
    fields: { 'x-amz-bucket-region': 'eu-west-1' },
  })
  const location = await ask('auto', { method: 'GET', target: '/new?location', status: 200 })
  assert.match(location.text, />eu-west-1<\/LocationConstraint>/)
  for (const region of ['not a region', '127.0.0.1', '*']) {
    await ask('auto', {
      ...{ method: 'PUT', target: '/other', body: located(region) },
      ...{ status: 400, code: 'InvalidLocationConstraint' },
    })
  }
})
