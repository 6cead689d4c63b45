/**
 * The calls of Terraform's aws_s3_bucket: apply, plan and destroy, with what the provider accepts as an answer of a
 * bucket without further settings. Reads and delete follow an older version of the provider's source
 * (hashicorp/terraform-provider-aws, internal/service/s3/bucket.go, commit 0070bcd); the call that creates the bucket
 * is that of the API reference. Terraform itself has not been run with this provider.
 */
import assert from 'node:assert/strict'
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

const policy = JSON.stringify({
  Version: '2012-10-17',
  Statement: [
    {
      ...{ Sid: 'PublicRead', Effect: 'Allow', Principal: '*', Action: 's3:GetObject' },
      Resource: 'arn:aws:s3:::terraform/*',
    },
  ],
})
/** What the provider takes for a resource that is gone, and what it puts, by sub-resource. */
const codes: Readonly<Record<string, string>> = {
  tagging: 'NoSuchTagSet',
  ownershipControls: 'OwnershipControlsNotFoundError',
  publicAccessBlock: 'NoSuchPublicAccessBlockConfiguration',
  policy: 'NoSuchBucketPolicy',
  cors: 'NoSuchCORSConfiguration',
  lifecycle: 'NoSuchLifecycleConfiguration',
}
const resources: Readonly<Record<string, string>> = {
  tagging: '<Tagging><TagSet><Tag><Key>team</Key><Value>web</Value></Tag></TagSet></Tagging>',
  ownershipControls:
    '<OwnershipControls><Rule><ObjectOwnership>BucketOwnerEnforced</ObjectOwnership></Rule></OwnershipControls>',
  publicAccessBlock:
    '<PublicAccessBlockConfiguration><BlockPublicAcls>true</BlockPublicAcls><IgnorePublicAcls>true</IgnorePublicAcls><BlockPublicPolicy>false</BlockPublicPolicy><RestrictPublicBuckets>false</RestrictPublicBuckets></PublicAccessBlockConfiguration>',
  policy,
  cors: '<CORSConfiguration><CORSRule><AllowedMethod>GET</AllowedMethod><AllowedOrigin>*</AllowedOrigin><MaxAgeSeconds>0</MaxAgeSeconds></CORSRule></CORSConfiguration>',
  lifecycle:
    '<LifecycleConfiguration><Rule><ID>old</ID><Filter><Prefix>old/</Prefix></Filter><Status>Enabled</Status><Expiration><Days>30</Days></Expiration></Rule></LifecycleConfiguration>',
}

/**
 * A filter with And, tags and no prefix, as the provider sends it since commit 0160692 of
 * internal/service/s3/bucket_lifecycle_configuration.go. It compares what it reads, and waits for three minutes.
 */
const andFilter =
  '<Filter><And><Prefix></Prefix><ObjectSizeGreaterThan>0</ObjectSizeGreaterThan><Tag><Key>keep</Key><Value>no</Value></Tag></And></Filter>'

test('the lifecycle that the provider waits for', async (t) => {
  const gateway = await startGatewayInProcess(t, { COMPATIBILITY: 'aws' })
  await answer(gateway, { title: 'create', method: 'PUT', target: bucket, status: 200 })
  const target = `${bucket}?lifecycle`
  const body = `<LifecycleConfiguration><Rule><ID>old</ID>${andFilter}<Status>Enabled</Status><Expiration><Days>30</Days></Expiration></Rule></LifecycleConfiguration>`
  const fields = { 'x-amz-transition-default-minimum-object-size': 'all_storage_classes_128K' }
  await answer(gateway, { title: 'put', method: 'PUT', target, headers: fields, body, status: 200 })
  const kept = await answer(gateway, { title: 'get', method: 'GET', target, fields, status: 200 })
  assert.ok(kept.text.includes(andFilter), kept.text)
})

test('the calls of the resources for tags, ownership, public access, policy, CORS and lifecycle', async (t) => {
  const gateway = await startGatewayInProcess(t, { COMPATIBILITY: 'aws' })
  await answer(gateway, { title: 'create', method: 'PUT', target: bucket, status: 200 })
  const versioning = { title: 'versioning', method: 'PUT', target: `${bucket}?versioning` }
  const suspended = '<VersioningConfiguration><Status>Suspended</Status></VersioningConfiguration>'
  await answer(gateway, { ...versioning, body: suspended, status: 200 })
  for (const [name, body] of Object.entries(resources)) {
    const target = `${bucket}?${name}`
    const status = ['policy', 'tagging'].includes(name) ? 204 : 200
    await answer(gateway, { title: name, method: 'PUT', target, body, status })
    const kept = await answer(gateway, { title: name, method: 'GET', target, status: 200 })
    const content = name === 'policy' ? body : body.slice(body.indexOf('>') + 1)
    assert.ok(kept.text.includes(content), kept.text)
  }
  for (const name of Object.keys(resources)) {
    const target = `${bucket}?${name}`
    await answer(gateway, { title: name, method: 'DELETE', target, status: 204 })
    await answer(gateway, absent(name, codes[name] ?? ''))
  }
})

/**
 * The calls of aws_s3_bucket_versioning, aws_s3_bucket_object_lock_configuration and aws_s3_object with a lock: apply, plan,
 * change, destroy (bucket_versioning.go and bucket_object_lock_configuration.go of commit 01c0800, object.go and delete.go
 * of 033c721 and 08ab5ba). The provider looks for words in the refusal to suspend versions.
 */
test('the calls of the resources for versions, Object Lock and locked objects', async (t) => {
  const gateway = await startGatewayInProcess(t, { BUCKET_CREATION: 'on' })
  const ask = (method: string, query: string, status: number, more: Partial<WireCase> = {}) =>
    answer(gateway, { title: query, method, target: `${bucket}${query}`, status, ...more })
  const lock = { headers: { 'x-amz-bucket-object-lock-enabled': 'true' } }
  await ask('PUT', '', 200, lock)
  const versioning = (status: string) =>
    `<VersioningConfiguration><Status>${status}</Status></VersioningConfiguration>`
  await ask('PUT', '?versioning', 200, { body: versioning('Enabled') })
  await ask('GET', '?versioning', 200, { xml: { VersioningConfiguration: { Status: 'Enabled' } } })

  const rule =
    '<Rule><DefaultRetention><Days>5</Days><Mode>GOVERNANCE</Mode></DefaultRetention></Rule>'
  const enabled = '<ObjectLockEnabled>Enabled</ObjectLockEnabled>'
  const configuration = (content: string) =>
    `<ObjectLockConfiguration>${content}</ObjectLockConfiguration>`
  await ask('PUT', '?object-lock', 200, { body: configuration(enabled + rule) })
  const DefaultRetention = { Days: '5', Mode: 'GOVERNANCE', Years: undefined }
  const kept = { ObjectLockEnabled: 'Enabled', Rule: { DefaultRetention } }
  await ask('GET', '?object-lock', 200, { xml: { ObjectLockConfiguration: kept } })

  const until = '2099-01-01T00:00:00Z'
  const headers = {
    'x-amz-object-lock-mode': 'GOVERNANCE',
    'x-amz-object-lock-retain-until-date': until,
    'x-amz-object-lock-legal-hold': 'ON',
  }
  const { headers: reply } = await ask('PUT', '/o', 200, { headers, body: 'locked' })
  const version = `/o?versionId=${reply.get('x-amz-version-id')}`
  const fields = { 'x-amz-object-lock-mode': 'GOVERNANCE', 'x-amz-object-lock-legal-hold': 'ON' }
  await ask('HEAD', '/o', 200, { fields })
  const earlier =
    '<Retention><Mode>GOVERNANCE</Mode><RetainUntilDate>2098-01-01T00:00:00Z</RetainUntilDate></Retention>'
  const bypass = { headers: { 'x-amz-bypass-governance-retention': 'true' } }
  await ask('PUT', '/o?retention', 200, { ...bypass, body: earlier })

  // What `force_destroy` does.
  await ask('DELETE', version, 403, { ...bypass, code: 'AccessDenied' })
  const off = '<LegalHold><Status>OFF</Status></LegalHold>'
  await ask('PUT', version.replace('?', '?legal-hold&'), 200, { body: off })
  await ask('DELETE', version, 204, bypass)
  await ask('PUT', '?object-lock', 200, { body: configuration(enabled) })
  const refusal = await ask('PUT', '?versioning', 409, {
    ...{ body: versioning('Suspended'), code: 'InvalidBucketState' },
  })
  assert.match(
    refusal.text,
    /An Object Lock configuration is present on this bucket, so the versioning state cannot be changed/,
  )
  await ask('DELETE', '', 204)
})

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
