/** What an operation answers, and the cases of what is set for a bucket: test/acceptance/every-operation.test.ts. */
import { testBucket } from './gateway-process.ts'
import type { WireCase, Xml } from './wire-case.ts'

export type Request = Omit<WireCase, 'title'>
export interface Behavior {
  readonly success: Request
  readonly refusal: Request
  /** Of the gateway, where the operation needs more. */
  readonly settings?: Readonly<Record<string, string>>
}

const bucket = `/${testBucket}`

export const get = (target: string, xml?: Xml): Request => ({
  ...{ method: 'GET', target, status: 200 },
  ...(xml !== undefined && { xml }),
})
export const refused = (request: Request, status: number, code: string): Request => {
  const { method, target, headers = {}, body } = request
  return { method, target, headers, status, code, ...(body !== undefined && { body }) }
}

const inAws = { COMPATIBILITY: 'aws' }
const policy =
  '{"Statement":{"Effect":"Allow","Principal":"*","Action":"s3:GetObject","Resource":"arn:aws:s3:::photos/*"}}'
const putOf = (name: string, status: number, body: string): Request => ({
  ...{ method: 'PUT', target: `${bucket}?${name}`, status, body },
})
const documented = (success: Request, refusal: Request) => () => ({
  ...{ success, refusal, settings: inAws },
})
const removed = (name: string): Request => ({
  ...{ method: 'DELETE', target: `${bucket}?${name}`, status: 204, text: '' },
})
const unsigned = (request: Request): Request => ({
  ...{ ...refused(request, 403, 'AccessDenied'), isUnsigned: true },
})
const bucketTags = '<Tagging><TagSet><Tag><Key>a</Key><Value>b</Value></Tag></TagSet></Tagging>'
const ownership = (name: string) =>
  `<OwnershipControls><Rule><ObjectOwnership>${name}</ObjectOwnership></Rule></OwnershipControls>`
const block = (name: string) =>
  `<PublicAccessBlockConfiguration><${name}>true</${name}></PublicAccessBlockConfiguration>`
const versioning = (status: string) =>
  `<VersioningConfiguration><Status>${status}</Status></VersioningConfiguration>`
const website = (suffix: string) =>
  `<WebsiteConfiguration><IndexDocument><Suffix>${suffix}</Suffix></IndexDocument></WebsiteConfiguration>`
/** Get of what is not set: `fill` sets nothing of this. */
const unset = (name: string, code: string) =>
  documented(refused(get(`${bucket}?${name}`), 404, code), unsigned(get(`${bucket}?${name}`)))

/** By operation. Nothing of this is set before. */
export const documentBehaviors = {
  GetBucketPolicy: unset('policy', 'NoSuchBucketPolicy'),
  GetBucketPolicyStatus: unset('policyStatus', 'NoSuchBucketPolicy'),
  GetBucketTagging: unset('tagging', 'NoSuchTagSet'),
  GetPublicAccessBlock: unset('publicAccessBlock', 'NoSuchPublicAccessBlockConfiguration'),
  GetBucketOwnershipControls: unset('ownershipControls', 'OwnershipControlsNotFoundError'),
  GetBucketVersioning: documented(
    get(`${bucket}?versioning`, { VersioningConfiguration: {} }),
    unsigned(get(`${bucket}?versioning`)),
  ),
  PutBucketPolicy: documented(
    putOf('policy', 204, policy),
    refused(putOf('policy', 0, policy.replace('Allow', 'Deny')), 400, 'MalformedPolicy'),
  ),
  PutBucketTagging: documented(
    putOf('tagging', 204, bucketTags),
    refused(putOf('tagging', 0, bucketTags.replace('<Key>a', '<Key>aws:a')), 400, 'InvalidTag'),
  ),
  PutPublicAccessBlock: documented(
    putOf('publicAccessBlock', 200, block('BlockPublicAcls')),
    refused(putOf('publicAccessBlock', 0, block('Other')), 400, 'MalformedXML'),
  ),
  PutBucketOwnershipControls: documented(
    putOf('ownershipControls', 200, ownership('BucketOwnerEnforced')),
    refused(putOf('ownershipControls', 0, ownership('Mine')), 400, 'MalformedXML'),
  ),
  GetBucketNotificationConfiguration: documented(
    get(`${bucket}?notification`, { NotificationConfiguration: {} }),
    unsigned(get(`${bucket}?notification`)),
  ),
  PutBucketNotificationConfiguration: documented(
    putOf('notification', 200, '<NotificationConfiguration/>'),
    refused(
      putOf('notification', 0, '<NotificationConfiguration><A/></NotificationConfiguration>'),
      400,
      'MalformedXML',
    ),
  ),
  PutBucketVersioning: documented(
    putOf('versioning', 200, versioning('Suspended')),
    refused(putOf('versioning', 0, versioning('Off')), 400, 'MalformedXML'),
  ),
  GetBucketWebsite: unset('website', 'NoSuchWebsiteConfiguration'),
  PutBucketWebsite: documented(
    putOf('website', 200, website('index.html')),
    refused(putOf('website', 0, website('a/b')), 400, 'InvalidArgument'),
  ),
  DeleteBucketWebsite: documented(removed('website'), unsigned(removed('website'))),
  DeleteBucketPolicy: documented(removed('policy'), unsigned(removed('policy'))),
  DeleteBucketTagging: documented(removed('tagging'), unsigned(removed('tagging'))),
  DeletePublicAccessBlock: documented(
    removed('publicAccessBlock'),
    unsigned(removed('publicAccessBlock')),
  ),
  DeleteBucketOwnershipControls: documented(
    removed('ownershipControls'),
    unsigned(removed('ownershipControls')),
  ),
}

const until = '2999-01-01T00:00:00.000Z'
const locked = (query = '') => `/locked/object${query}`

/** Makes a bucket with Object Lock, and an object in it that is locked. */
export const lockedObject: readonly Request[] = [
  {
    ...{ method: 'PUT', target: '/locked', status: 200 },
    headers: { 'x-amz-bucket-object-lock-enabled': 'true' },
  },
  {
    ...{ method: 'PUT', target: locked(), status: 200, body: 'bytes' },
    headers: {
      'x-amz-object-lock-mode': 'GOVERNANCE',
      'x-amz-object-lock-retain-until-date': until,
      'x-amz-object-lock-legal-hold': 'ON',
    },
  },
]

const putLock = (target: string, body: string): Request => ({
  ...{ method: 'PUT', target, status: 200, body },
})
const lockOf = (status: string) =>
  `<ObjectLockConfiguration><ObjectLockEnabled>${status}</ObjectLockEnabled></ObjectLockConfiguration>`
const retention = (mode: string) =>
  `<Retention><Mode>${mode}</Mode><RetainUntilDate>${until}</RetainUntilDate></Retention>`
const hold = (status: string) => `<LegalHold><Status>${status}</Status></LegalHold>`

/** With `lockedObject`. */
export const lockBehaviors = {
  GetObjectLockConfiguration: () => ({
    success: get('/locked?object-lock', {
      ObjectLockConfiguration: { ObjectLockEnabled: 'Enabled' },
    }),
    refusal: refused(get('/made?object-lock'), 404, 'ObjectLockConfigurationNotFoundError'),
  }),
  PutObjectLockConfiguration: () => ({
    success: putLock('/locked?object-lock', lockOf('Enabled')),
    refusal: refused(putLock('/made?object-lock', lockOf('Enabled')), 409, 'InvalidBucketState'),
  }),
  GetObjectRetention: () => ({
    success: get(locked('?retention'), {
      Retention: { Mode: 'GOVERNANCE', RetainUntilDate: until },
    }),
    refusal: refused(get(`${bucket}/object?retention`), 400, 'InvalidRequest'),
  }),
  PutObjectRetention: () => ({
    success: putLock(locked('?retention'), retention('GOVERNANCE')),
    refusal: refused(putLock(locked('?retention'), retention('COMPLIANCE')), 403, 'AccessDenied'),
  }),
  GetObjectLegalHold: () => ({
    success: get(locked('?legal-hold'), { LegalHold: { Status: 'ON' } }),
    refusal: refused(get(`${bucket}/object?legal-hold`), 400, 'InvalidRequest'),
  }),
  PutObjectLegalHold: () => ({
    success: putLock(locked('?legal-hold'), hold('OFF')),
    refusal: refused(putLock(locked('?legal-hold'), hold('on')), 400, 'MalformedXML'),
  }),
}
