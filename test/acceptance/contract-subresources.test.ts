import { before, describe } from 'node:test'
import { publicBucket, useContractGateway } from '../support/contract-gateway.ts'
import { testBucket } from '../support/gateway-process.ts'
import { answer, itAnswers, type WireCase } from '../support/wire-case.ts'

const bucket = `/${testBucket}`
const object = `${bucket}/object`

/** S3's reply while nothing is configured: a document's root, or a status and code. */
const bucketReads: Readonly<Record<string, string | readonly [number, string]>> = {
  accelerate: 'AccelerateConfiguration',
  acl: 'AccessControlPolicy',
  cors: [404, 'NoSuchCORSConfiguration'],
  encryption: [404, 'ServerSideEncryptionConfigurationNotFoundError'],
  lifecycle: [404, 'NoSuchLifecycleConfiguration'],
  logging: 'BucketLoggingStatus',
  notification: 'NotificationConfiguration',
  'object-lock': [404, 'ObjectLockConfigurationNotFoundError'],
  ownershipControls: [404, 'OwnershipControlsNotFoundError'],
  policy: [404, 'NoSuchBucketPolicy'],
  policyStatus: [404, 'NoSuchBucketPolicy'],
  publicAccessBlock: [404, 'NoSuchPublicAccessBlockConfiguration'],
  replication: [404, 'ReplicationConfigurationNotFoundError'],
  requestPayment: 'RequestPaymentConfiguration',
  tagging: [404, 'NoSuchTagSet'],
  versioning: 'VersioningConfiguration',
  website: [404, 'NoSuchWebsiteConfiguration'],
}

const objectReads: typeof bucketReads = {
  acl: 'AccessControlPolicy',
  'legal-hold': [400, 'InvalidRequest'],
  retention: [400, 'InvalidRequest'],
  tagging: 'Tagging',
  torrent: [501, 'NotImplemented'],
}

/** Method and target of writes that S3 has and this service does not. */
const refusedWrites: readonly (readonly [string, string, number])[] = [
  ...Object.keys(bucketReads).map((name) => ['PUT', `${bucket}?${name}`, 501] as const),
  ['DELETE', `${bucket}?policy`, 501],
  ['DELETE', `${bucket}?lifecycle`, 501],
  ['DELETE', `${bucket}?cors`, 501],
  ['PUT', `${object}?acl`, 501],
  ['PUT', `${object}?tagging`, 501],
  ['PUT', `${object}?retention`, 501],
  ['PUT', `${object}?legal-hold`, 501],
  ['DELETE', `${object}?tagging`, 501],
  ['POST', `${object}?restore`, 501],
  ['POST', `${object}?select&select-type=2`, 501],
  ['PUT', `${object}?renameObject`, 501],
  ['PUT', `${object}?uploads`, 405],
  ['DELETE', `${object}?uploads`, 405],
  ['DELETE', `${object}?attributes`, 405],
  ['POST', object, 405],
]

/** docs/contract/object-storage.md, "Unsupported sub-resources". */
describe('sub-resources', () => {
  const gateway = useContractGateway()
  before(async () => {
    for (const target of [object, `/${publicBucket}/object`]) {
      await answer(gateway(), { title: '', method: 'PUT', target, body: 'kept', status: 200 })
    }
  })

  itAnswers(gateway, [
    ...Object.entries(bucketReads).map(([name, reply]) => read(bucket, name, reply)),
    ...Object.entries(objectReads).map(([name, reply]) => read(object, name, reply)),
    read(`${bucket}/none`, 'acl', [404, 'NoSuchKey']),
    ...refusedWrites.map(([method, target, status]): WireCase => {
      const code = status === 405 ? 'MethodNotAllowed' : 'NotImplemented'
      return { title: `${method} ${target} is ${status}`, method, target, status, code, body: 'x' }
    }),
    {
      title: 'GetObject returns the object unchanged after refused writes',
      method: 'GET',
      target: object,
      status: 200,
      text: 'kept',
    },
    {
      title: 'GetBucketAcl of a public bucket grants read access to all, also unsigned',
      method: 'GET',
      target: `/${publicBucket}?acl`,
      isUnsigned: true,
      status: 200,
      xml: {
        AccessControlPolicy: {
          AccessControlList: { Grant: [{ Permission: 'FULL_CONTROL' }, { Permission: 'READ' }] },
        },
      },
    },
  ])
})

function read(target: string, name: string, reply: string | readonly [number, string]): WireCase {
  const request = { method: 'GET', target: `${target}?${name}` }
  if (typeof reply === 'string') {
    return {
      title: `GET ${request.target} is ${reply}`,
      ...request,
      status: 200,
      xml: { [reply]: {} },
    }
  }
  const [status, code] = reply
  return { title: `GET ${request.target} is ${status} ${code}`, ...request, status, code }
}
