/**
 * The calls of Terraform's aws_s3_bucket: apply, plan and destroy, with what the provider accepts as an answer of a
 * bucket without further settings. Reads and delete follow an older version of the provider's source
 * (hashicorp/terraform-provider-aws, internal/service/s3/bucket.go, commit 0070bcd); the call that creates the bucket
 * is that of the API reference. Terraform itself has not been run.
 */
import { test } from 'node:test'
import { startGatewayInProcess } from '../support/gateway-in-process.ts'
import { answer, type WireCase } from '../support/wire-case.ts'

const bucket = '/terraform'

const read = (name: string, root: string): WireCase => ({
  ...{ title: name, method: 'GET', target: `${bucket}?${name}`, status: 200, xml: { [root]: {} } },
})
const absent = (name: string, code: string): WireCase => ({
  ...{ title: name, method: 'GET', target: `${bucket}?${name}`, status: 404, code },
})
const head: WireCase = {
  ...{ title: 'region', method: 'HEAD', target: bucket, status: 200 },
  fields: { 'x-amz-bucket-region': 'us-east-1' },
}

/** In the order of the provider. The codes are those that it takes for `not configured`. */
const refresh: readonly WireCase[] = [
  head,
  absent('policy', 'NoSuchBucketPolicy'),
  { title: 'acl', method: 'GET', target: `${bucket}?acl`, status: 200 },
  absent('cors', 'NoSuchCORSConfiguration'),
  absent('website', 'NoSuchWebsiteConfiguration'),
  { title: 'versioning', method: 'GET', target: `${bucket}?versioning`, status: 200 },
  { title: 'accelerate', method: 'GET', target: `${bucket}?accelerate`, status: 200 },
  read('requestPayment', 'RequestPaymentConfiguration'),
  { title: 'logging', method: 'GET', target: `${bucket}?logging`, status: 200 },
  absent('lifecycle', 'NoSuchLifecycleConfiguration'),
  absent('replication', 'ReplicationConfigurationNotFoundError'),
  absent('encryption', 'ServerSideEncryptionConfigurationNotFoundError'),
  absent('object-lock', 'ObjectLockConfigurationNotFoundError'),
  head,
  absent('tagging', 'NoSuchTagSet'),
]

test('the calls of aws_s3_bucket: apply, plan, destroy', async (t) => {
  const gateway = await startGatewayInProcess(t, { BUCKET_CREATION: 'on' })
  const missing: WireCase = { title: 'missing', method: 'HEAD', target: bucket, status: 404 }
  const create: WireCase = {
    ...{ title: 'create', method: 'PUT', target: bucket, status: 200 },
    headers: { 'x-amz-bucket-object-lock-enabled': 'false' },
  }
  const remove: WireCase = { title: 'delete', method: 'DELETE', target: bucket, status: 204 }
  for (const wireCase of [create, ...refresh, ...refresh, remove, missing]) {
    await answer(gateway, wireCase)
  }
})
