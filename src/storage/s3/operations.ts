import { keepsDocuments } from './configuration/public-access.ts'
import { keepsTags } from './configuration/tagging-document.ts'
import {
  type Access,
  type BucketContext,
  type Condition,
  type NewBucketContext,
  type ObjectContext,
  type OperationTable,
  rowsOf,
  type ServiceContext,
} from './context.ts'
import { claimHint } from './headers/encryption.ts'
import { createBucket, deleteBucket, getBucketLocation, headBucket } from './operations/bucket.ts'
import {
  deleteBucketCors,
  deleteBucketEncryption,
  deleteBucketLifecycle,
  getBucketCors,
  getBucketLifecycle,
  getBucketNotification,
  putBucketCors,
  putBucketEncryption,
  putBucketLifecycle,
  putBucketNotification,
} from './operations/bucket-configuration.ts'
import {
  deleteBucketPolicy,
  deleteBucketTagging,
  deleteOwnershipControls,
  deletePublicAccessBlock,
  getBucketPolicy,
  getBucketPolicyStatus,
  getBucketTagging,
  getBucketVersioning,
  getOwnershipControls,
  getPublicAccessBlock,
  putBucketPolicy,
  putBucketTagging,
  putBucketVersioning,
  putOwnershipControls,
  putPublicAccessBlock,
} from './operations/bucket-documents.ts'
import {
  deleteBucketWebsite,
  getBucketWebsite,
  putBucketWebsite,
} from './operations/bucket-website.ts'
import { completeMultipartUpload } from './operations/complete-multipart-upload.ts'
import { copyObject } from './operations/copy-object.ts'
import { deleteObject, deleteObjects } from './operations/delete-objects.ts'
import { getObject, headObject } from './operations/get-object.ts'
import { getObjectAttributes } from './operations/get-object-attributes.ts'
import { listBuckets } from './operations/list-buckets.ts'
import { listObjects, listObjectsV2, listObjectVersions } from './operations/list-objects.ts'
import { listMultipartUploads, listParts } from './operations/list-uploads.ts'
import {
  abortMultipartUpload,
  createMultipartUpload,
  uploadPart,
  uploadPartCopy,
} from './operations/multipart-upload.ts'
import {
  getObjectLegalHold,
  getObjectLockConfiguration,
  getObjectRetention,
  putObjectLegalHold,
  putObjectLockConfiguration,
  putObjectRetention,
} from './operations/object-lock.ts'
import {
  deleteObjectTagging,
  getObjectTagging,
  putObjectTagging,
} from './operations/object-tagging.ts'
import { postObject } from './operations/post-object.ts'
import { getObjectAcl, putBucketAcl, putObjectAcl } from './operations/put-acl.ts'
import { putObject } from './operations/put-object.ts'
import { bucketDefault, bucketDefaults, defaultLogName } from './operations/subresource-defaults.ts'

const visit: Access = { action: 'any', public: 'read' }
const any: Access = { action: 'any' }
const location: Access = { ...visit, policy: 's3:GetBucketLocation' }
const head: Access = { ...visit, policy: 's3:ListBucket' }
const list: Access = { action: 'list', public: 'list' }
const listObjectsAccess: Access = { ...list, policy: 's3:ListBucket' }
const listVersions: Access = { ...list, policy: 's3:ListBucketVersions', ofVersions: true }
const manage: Access = { action: 'manage' }
const read: Access = { action: 'read', public: 'read' }
const getAccess: Access = { ...read, policy: 's3:GetObject' }
const getTagging: Access = { ...read, policy: 's3:GetObjectTagging' }
const create: Access = { action: 'create' }
const put: Access = { ...create, policy: 's3:PutObject' }
const abort: Access = { ...create, policy: 's3:AbortMultipartUpload' }
const write: Access = { action: 'write' }
/** A lock only protects a version, so that it does not need the right to remove one. */
const lock: Access = { ...write, ofVersions: false }
const remove: Access = { action: 'delete', policy: 's3:DeleteObject' }
/** Parts can be listed by those who may upload them. In a public bucket every GET is public. */
const readParts: Access = { ...create, public: 'read', policy: 's3:ListMultipartUploadParts' }
/** A policy opens it, but shows no uploads: their IDs let others continue or abort them. */
const listUploads: Access = { ...list, policy: 's3:ListBucketMultipartUploads' }

const mayCreate: Condition = {
  isMet: ({ bucketCreation }) => bucketCreation !== 'off',
  hint: 'To allow this, set BUCKET_CREATION=existing (for buckets that exist) or BUCKET_CREATION=on on the gateway.',
}
const mayManage: Condition = {
  isMet: ({ bucketCreation }) => bucketCreation === 'on',
  hint: 'To allow this, set BUCKET_CREATION=on on the gateway.',
}
const acceptsAcls: Condition = {
  isMet: ({ acls }) => acls !== 'refuse',
  hint: 'To accept ACLs without effect, set ACLS=ignore on the gateway.',
}
const claimsEncryption: Condition = {
  isMet: ({ serverSideEncryption }) => serverSideEncryption === 'claim',
  hint: claimHint,
}
const mayTag: Condition = {
  isMet: ({ compatibility }) => keepsTags(compatibility),
  hint: 'To keep tags, set COMPATIBILITY=aws on the gateway.',
}
const isForm: Condition = { isMet: (request) => request.isForm }
const isInAws: Condition = { isMet: ({ compatibility }) => keepsDocuments(compatibility) }
const mayDocument: Condition = {
  isMet: (request) => isInAws.isMet(request) && mayManage.isMet(request),
  hint: 'To keep it, set COMPATIBILITY=aws and BUCKET_CREATION=on on the gateway.',
}
const hasWebsites: Condition = {
  isMet: (request) => mayDocument.isMet(request) && request.hasWebsites,
  hint: 'To serve websites, set COMPATIBILITY=aws, BUCKET_CREATION=on and WEBSITE_DOMAINS on the gateway.',
}
const isV2: Condition = { isMet: ({ query }) => query.get('list-type') === '2' }
const isCopy: Condition = { isMet: ({ headers }) => headers['x-amz-copy-source'] !== undefined }

const none = undefined
const always = undefined
const service = rowsOf<'service', ServiceContext>('service')
const newBucket = rowsOf<'newBucket', NewBucketContext>('newBucket')
const bucket = rowsOf<'bucket', BucketContext>('bucket')
const object = rowsOf<'object', ObjectContext>('object')

/**
 * Every operation, by its AWS name: the request that asks for it, the access that it requires, and the function that
 * runs it. Of the rows with the request's level and method, the first whose parameter is in the query applies; if there
 * is none, the first without a parameter (detect.ts). To add an operation, add a row, and its function in operations/.
 */
export const operations = {
  ListBuckets: service('GET', none, listBuckets, any),
  CreateBucket: newBucket('PUT', none, createBucket, manage, mayCreate),
  DeleteBucket: bucket('DELETE', none, deleteBucket, manage, mayManage),
  HeadBucket: bucket('HEAD', none, headBucket, head),
  ListMultipartUploads: bucket('GET', 'uploads', listMultipartUploads, listUploads),
  GetBucketLocation: bucket('GET', 'location', getBucketLocation, location),
  ListObjectVersions: bucket(
    'GET',
    'versions',
    listObjectVersions,
    listVersions,
    always,
    'REST.GET.BUCKETVERSIONS',
  ),
  ListObjectsV2: bucket('GET', none, listObjectsV2, listObjectsAccess, isV2),
  ListObjects: bucket('GET', none, listObjects, listObjectsAccess),
  // Each key is authorized separately.
  DeleteObjects: bucket(
    'POST',
    'delete',
    deleteObjects,
    any,
    always,
    'REST.POST.MULTI_OBJECT_DELETE',
  ),
  // Anyone may learn that there are no rules, as for sub-resources without a configuration.
  GetBucketCors: bucket('GET', 'cors', getBucketCors, visit),
  PutBucketCors: bucket('PUT', 'cors', putBucketCors, manage, mayManage),
  DeleteBucketCors: bucket('DELETE', 'cors', deleteBucketCors, manage, mayManage),
  GetBucketLifecycleConfiguration: bucket('GET', 'lifecycle', getBucketLifecycle, visit),
  PutBucketLifecycleConfiguration: bucket(
    'PUT',
    'lifecycle',
    putBucketLifecycle,
    manage,
    mayManage,
  ),
  DeleteBucketLifecycle: bucket('DELETE', 'lifecycle', deleteBucketLifecycle, manage, mayManage),
  PutBucketAcl: bucket('PUT', 'acl', putBucketAcl, manage, acceptsAcls),
  PutBucketEncryption: bucket('PUT', 'encryption', putBucketEncryption, manage, claimsEncryption),
  DeleteBucketEncryption: bucket(
    'DELETE',
    'encryption',
    deleteBucketEncryption,
    manage,
    claimsEncryption,
  ),
  GetBucketPolicy: bucket(
    'GET',
    'policy',
    getBucketPolicy,
    visit,
    isInAws,
    'REST.GET.BUCKETPOLICY',
  ),
  PutBucketPolicy: bucket(
    'PUT',
    'policy',
    putBucketPolicy,
    manage,
    mayDocument,
    'REST.PUT.BUCKETPOLICY',
  ),
  DeleteBucketPolicy: bucket(
    'DELETE',
    'policy',
    deleteBucketPolicy,
    manage,
    mayDocument,
    'REST.DELETE.BUCKETPOLICY',
  ),
  GetBucketPolicyStatus: bucket('GET', 'policyStatus', getBucketPolicyStatus, visit, isInAws),
  GetBucketTagging: bucket('GET', 'tagging', getBucketTagging, visit, isInAws),
  PutBucketTagging: bucket('PUT', 'tagging', putBucketTagging, manage, mayDocument),
  DeleteBucketTagging: bucket('DELETE', 'tagging', deleteBucketTagging, manage, mayDocument),
  GetBucketWebsite: bucket('GET', 'website', getBucketWebsite, visit, isInAws),
  PutBucketWebsite: bucket('PUT', 'website', putBucketWebsite, manage, hasWebsites),
  DeleteBucketWebsite: bucket('DELETE', 'website', deleteBucketWebsite, manage, mayDocument),
  GetPublicAccessBlock: bucket('GET', 'publicAccessBlock', getPublicAccessBlock, visit, isInAws),
  PutPublicAccessBlock: bucket(
    'PUT',
    'publicAccessBlock',
    putPublicAccessBlock,
    manage,
    mayDocument,
  ),
  DeletePublicAccessBlock: bucket(
    'DELETE',
    'publicAccessBlock',
    deletePublicAccessBlock,
    manage,
    mayDocument,
  ),
  GetBucketOwnershipControls: bucket(
    'GET',
    'ownershipControls',
    getOwnershipControls,
    visit,
    isInAws,
  ),
  PutBucketOwnershipControls: bucket(
    'PUT',
    'ownershipControls',
    putOwnershipControls,
    manage,
    mayDocument,
  ),
  DeleteBucketOwnershipControls: bucket(
    'DELETE',
    'ownershipControls',
    deleteOwnershipControls,
    manage,
    mayDocument,
  ),
  GetBucketVersioning: bucket('GET', 'versioning', getBucketVersioning, visit),
  PutBucketVersioning: bucket('PUT', 'versioning', putBucketVersioning, manage, mayManage),
  GetBucketNotificationConfiguration: bucket(
    'GET',
    'notification',
    getBucketNotification,
    visit,
    isInAws,
  ),
  PutBucketNotificationConfiguration: bucket(
    'PUT',
    'notification',
    putBucketNotification,
    manage,
    mayDocument,
  ),
  GetObjectLockConfiguration: bucket(
    'GET',
    'object-lock',
    getObjectLockConfiguration,
    visit,
    always,
    'REST.GET.OBJECT_LOCK_CONFIGURATION',
  ),
  PutObjectLockConfiguration: bucket(
    'PUT',
    'object-lock',
    putObjectLockConfiguration,
    manage,
    mayManage,
    'REST.PUT.OBJECT_LOCK_CONFIGURATION',
  ),
  BucketDefault: bucket(
    'GET',
    Object.keys(bucketDefaults),
    bucketDefault,
    visit,
    always,
    defaultLogName,
  ),
  GetObject: object('GET', none, getObject, getAccess),
  HeadObject: object('HEAD', none, headObject, getAccess),
  GetObjectAttributes: object(
    'GET',
    'attributes',
    getObjectAttributes,
    read,
    always,
    'REST.GET.OBJECT_ATTRIBUTES',
  ),
  CopyObject: object('PUT', none, copyObject, create, isCopy, 'REST.COPY.OBJECT'),
  PutObject: object('PUT', none, putObject, put),
  PostObject: object('POST', none, postObject, create, isForm),
  DeleteObject: object('DELETE', none, deleteObject, remove),
  CreateMultipartUpload: object('POST', 'uploads', createMultipartUpload, put),
  UploadPartCopy: object('PUT', 'uploadId', uploadPartCopy, create, isCopy, 'REST.COPY.PART'),
  UploadPart: object('PUT', 'uploadId', uploadPart, put, always, 'REST.PUT.PART'),
  CompleteMultipartUpload: object(
    'POST',
    'uploadId',
    completeMultipartUpload,
    put,
    always,
    'REST.POST.UPLOAD',
  ),
  AbortMultipartUpload: object(
    'DELETE',
    'uploadId',
    abortMultipartUpload,
    abort,
    always,
    'REST.DELETE.UPLOAD',
  ),
  ListParts: object('GET', 'uploadId', listParts, readParts, always, 'REST.GET.UPLOAD'),
  GetObjectAcl: object('GET', 'acl', getObjectAcl, read),
  PutObjectAcl: object('PUT', 'acl', putObjectAcl, write, acceptsAcls),
  GetObjectTagging: object(
    'GET',
    'tagging',
    getObjectTagging,
    getTagging,
    always,
    'REST.GET.OBJECT_TAGGING',
  ),
  PutObjectTagging: object(
    'PUT',
    'tagging',
    putObjectTagging,
    write,
    mayTag,
    'REST.PUT.OBJECT_TAGGING',
  ),
  DeleteObjectTagging: object(
    'DELETE',
    'tagging',
    deleteObjectTagging,
    write,
    mayTag,
    'REST.DELETE.OBJECT_TAGGING',
  ),
  GetObjectRetention: object(
    'GET',
    'retention',
    getObjectRetention,
    read,
    always,
    'REST.GET.OBJECT_LOCK_RETENTION',
  ),
  PutObjectRetention: object(
    'PUT',
    'retention',
    putObjectRetention,
    lock,
    always,
    'REST.PUT.OBJECT_LOCK_RETENTION',
  ),
  GetObjectLegalHold: object(
    'GET',
    'legal-hold',
    getObjectLegalHold,
    read,
    always,
    'REST.GET.OBJECT_LOCK_LEGALHOLD',
  ),
  PutObjectLegalHold: object(
    'PUT',
    'legal-hold',
    putObjectLegalHold,
    lock,
    always,
    'REST.PUT.OBJECT_LOCK_LEGALHOLD',
  ),
} satisfies OperationTable

export type OperationName = keyof typeof operations
