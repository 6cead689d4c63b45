import assert from 'node:assert/strict'
import { test } from 'node:test'
import { XMLParser } from 'fast-xml-parser'
import { S3Error, s3Errors } from '../../../../../src/storage/s3/errors.ts'
import { getObjectAcl } from '../../../../../src/storage/s3/operations/put-acl.ts'
import {
  bucketDefault,
  bucketDefaults,
} from '../../../../../src/storage/s3/operations/subresource-defaults.ts'
import { bodyOf, contextOf, FakeDrive, fakeObject, isS3Error } from '../read-fixture.ts'

const drive = new FakeDrive({ k: fakeObject('x') })
const parser = new XMLParser({ ignoreAttributes: false, isArray: (name) => name === 'Grant' })

/** S3's codes for missing configurations (API reference, ErrorResponses). */
const codes: Readonly<Record<string, string>> = {
  encryption: 'ServerSideEncryptionConfigurationNotFoundError',
  ownershipControls: 'OwnershipControlsNotFoundError',
  policy: 'NoSuchBucketPolicy',
  policyStatus: 'NoSuchBucketPolicy',
  publicAccessBlock: 'NoSuchPublicAccessBlockConfiguration',
  replication: 'ReplicationConfigurationNotFoundError',
  tagging: 'NoSuchTagSet',
  website: 'NoSuchWebsiteConfiguration',
}

const documents: Readonly<Record<string, string>> = {
  accelerate: 'AccelerateConfiguration',
  acl: 'AccessControlPolicy',
  analytics: 'ListBucketAnalyticsConfigurationResult',
  'intelligent-tiering': 'ListBucketIntelligentTieringConfigurationsOutput',
  inventory: 'ListInventoryConfigurationsResult',
  logging: 'BucketLoggingStatus',
  metrics: 'ListMetricsConfigurationsResult',
  notification: 'NotificationConfiguration',
  requestPayment: 'RequestPaymentConfiguration',
}

test('BucketDefault has exactly the sub-resources of these tests', () => {
  assert.deepEqual(
    Object.keys(bucketDefaults).sort(),
    [...Object.keys(codes), ...Object.keys(documents)].sort(),
  )
})

for (const [name, code] of Object.entries(codes)) {
  test(`BucketDefault returns 404 ${code} for ?${name}`, async () => {
    await assert.rejects(bucketDefault(contextOf(drive, { query: name })), (error: unknown) => {
      assert.ok(error instanceof S3Error)
      assert.deepEqual([error.code, error.status], [code, 404])
      return true
    })
  })
}

for (const [name, root] of Object.entries(documents)) {
  test(`BucketDefault returns ${root} for ?${name}`, async () => {
    const reply = await bucketDefault(contextOf(drive, { query: `x=1&${name}` }))
    assert.equal(reply.status, 200)
    assert.ok(Object.hasOwn(parser.parse(await bodyOf(reply)), root))
  })
}

test('BucketDefault returns NoSuchConfiguration for a single configuration', async () => {
  const query = 'inventory&id=daily'
  assert.equal(s3Errors.NoSuchConfiguration[0], 404)
  await assert.rejects(bucketDefault(contextOf(drive, { query })), isS3Error('NoSuchConfiguration'))
})

async function grantsOf(isPublic: boolean): Promise<Record<string, unknown>[]> {
  const context = contextOf(drive, { query: 'acl', isPublic })
  const { AccessControlPolicy } = parser.parse(await bodyOf(await bucketDefault(context)))
  assert.equal(AccessControlPolicy.Owner.ID, 'bucketry')
  return AccessControlPolicy.AccessControlList.Grant
}

test('BucketDefault acl grants the owner full control', async () => {
  assert.deepEqual(await grantsOf(false), [
    {
      Grantee: {
        '@_xmlns:xsi': 'http://www.w3.org/2001/XMLSchema-instance',
        '@_xsi:type': 'CanonicalUser',
        ID: 'bucketry',
        DisplayName: 'bucketry',
      },
      Permission: 'FULL_CONTROL',
    },
  ])
})

test('BucketDefault acl of a public bucket grants read access to all users', async () => {
  const grants = await grantsOf(true)
  assert.equal(grants.length, 2)
  assert.equal(grants[1]?.Permission, 'READ')
})

test('GetObjectAcl grants the owner full control', async () => {
  const acl = await bodyOf(await getObjectAcl(contextOf(drive, { query: 'acl' })))
  assert.match(acl, /FULL_CONTROL/)
})

test('GetObjectAcl of a missing key is NoSuchKey', async () => {
  await assert.rejects(
    getObjectAcl(contextOf(drive, { query: 'acl', key: 'no' })),
    isS3Error('NoSuchKey'),
  )
})
