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
  deleteObjectTagging,
  getObjectTagging,
  putObjectTagging,
} from './operations/object-tagging.ts'
import { postObject } from './operations/post-object.ts'
import { putBucketAcl, putObjectAcl } from './operations/put-acl.ts'
import { putObject } from './operations/put-object.ts'
import {
  bucketDefault,
  bucketDefaults,
  defaultLogName,
  objectDefault,
  objectDefaults,
} from './operations/subresource-defaults.ts'

const visit: Access = { action: 'any', public: 'read' }
const any: Access = { action: 'any' }
const location: Access = { ...visit, policy: 's3:GetBucketLocation' }
const head: Access = { ...visit, policy: 's3:ListBucket' }
const list: Access = { action: 'list', public: 'list' }
const listObjectsAccess: Access = { ...list, policy: 's3:ListBucket' }
const manage: Access = { action: 'manage' }
const read: Access = { action: 'read', public: 'read' }
const getAccess: Access = { ...read, policy: 's3:GetObject' }
const write: Access = { action: 'write' }
const remove: Access = { action: 'delete' }
/** The parts belong to whoever uploads; in a public bucket every GET is public. */
const readParts: Access = { action: 'write', public: 'read' }

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
const isV2: Condition = { isMet: ({ query }) => query.get('list-type') === '2' }
const isCopy: Condition = { isMet: ({ headers }) => headers['x-amz-copy-source'] !== undefined }

const none = undefined
const service = rowsOf<'service', ServiceContext>('service')
const newBucket = rowsOf<'newBucket', NewBucketContext>('newBucket')
const bucket = rowsOf<'bucket', BucketContext>('bucket')
const object = rowsOf<'object', ObjectContext>('object')

/**
 * Every operation, by its AWS name: the request that asks for it, who may do it, and the function that does it. Of the
 * rows with the request's level and method, the first one whose parameter is in the query counts; if there is none,
 * the first one without a parameter (detect.ts). To add an operation, add a row and a file in operations/.
 */
export const operations = {
  ListBuckets: service('GET', none, listBuckets, any, 'REST.GET.SERVICE'),
  CreateBucket: newBucket('PUT', none, createBucket, manage, 'REST.PUT.BUCKET', mayCreate),
  DeleteBucket: bucket('DELETE', none, deleteBucket, manage, 'REST.DELETE.BUCKET', mayManage),
  HeadBucket: bucket('HEAD', none, headBucket, head, 'REST.HEAD.BUCKET'),
  ListMultipartUploads: bucket('GET', 'uploads', listMultipartUploads, list, 'REST.GET.UPLOADS'),
  GetBucketLocation: bucket('GET', 'location', getBucketLocation, location, 'REST.GET.LOCATION'),
  ListObjectVersions: bucket(
    'GET',
    'versions',
    listObjectVersions,
    list,
    'REST.GET.BUCKETVERSIONS',
  ),
  ListObjectsV2: bucket('GET', none, listObjectsV2, listObjectsAccess, 'REST.GET.BUCKET', isV2),
  ListObjects: bucket('GET', none, listObjects, listObjectsAccess, 'REST.GET.BUCKET'),
  // Each key is authorized by itself.
  DeleteObjects: bucket('POST', 'delete', deleteObjects, any, 'REST.POST.MULTI_OBJECT_DELETE'),
  // Everyone may learn that there are no rules, as before there were any.
  GetBucketCors: bucket('GET', 'cors', getBucketCors, visit, 'REST.GET.CORS'),
  PutBucketCors: bucket('PUT', 'cors', putBucketCors, manage, 'REST.PUT.CORS', mayManage),
  DeleteBucketCors: bucket(
    'DELETE',
    'cors',
    deleteBucketCors,
    manage,
    'REST.DELETE.CORS',
    mayManage,
  ),
  GetBucketLifecycleConfiguration: bucket(
    'GET',
    'lifecycle',
    getBucketLifecycle,
    visit,
    'REST.GET.LIFECYCLE',
  ),
  PutBucketLifecycleConfiguration: bucket(
    'PUT',
    'lifecycle',
    putBucketLifecycle,
    manage,
    'REST.PUT.LIFECYCLE',
    mayManage,
  ),
  DeleteBucketLifecycle: bucket(
    'DELETE',
    'lifecycle',
    deleteBucketLifecycle,
    manage,
    'REST.DELETE.LIFECYCLE',
    mayManage,
  ),
  PutBucketAcl: bucket('PUT', 'acl', putBucketAcl, manage, 'REST.PUT.ACL', acceptsAcls),
  PutBucketEncryption: bucket(
    'PUT',
    'encryption',
    putBucketEncryption,
    manage,
    'REST.PUT.ENCRYPTION',
    claimsEncryption,
  ),
  DeleteBucketEncryption: bucket(
    'DELETE',
    'encryption',
    deleteBucketEncryption,
    manage,
    'REST.DELETE.ENCRYPTION',
    claimsEncryption,
  ),
  GetBucketPolicy: bucket(
    'GET',
    'policy',
    getBucketPolicy,
    visit,
    'REST.GET.BUCKETPOLICY',
    isInAws,
  ),
  PutBucketPolicy: bucket(
    'PUT',
    'policy',
    putBucketPolicy,
    manage,
    'REST.PUT.BUCKETPOLICY',
    mayDocument,
  ),
  DeleteBucketPolicy: bucket(
    'DELETE',
    'policy',
    deleteBucketPolicy,
    manage,
    'REST.DELETE.BUCKETPOLICY',
    mayDocument,
  ),
  GetBucketPolicyStatus: bucket(
    'GET',
    'policyStatus',
    getBucketPolicyStatus,
    visit,
    'REST.GET.POLICY_STATUS',
    isInAws,
  ),
  GetBucketTagging: bucket('GET', 'tagging', getBucketTagging, visit, 'REST.GET.TAGGING', isInAws),
  PutBucketTagging: bucket(
    'PUT',
    'tagging',
    putBucketTagging,
    manage,
    'REST.PUT.TAGGING',
    mayDocument,
  ),
  DeleteBucketTagging: bucket(
    'DELETE',
    'tagging',
    deleteBucketTagging,
    manage,
    'REST.DELETE.TAGGING',
    mayDocument,
  ),
  GetPublicAccessBlock: bucket(
    'GET',
    'publicAccessBlock',
    getPublicAccessBlock,
    visit,
    'REST.GET.PUBLIC_ACCESS_BLOCK',
    isInAws,
  ),
  PutPublicAccessBlock: bucket(
    'PUT',
    'publicAccessBlock',
    putPublicAccessBlock,
    manage,
    'REST.PUT.PUBLIC_ACCESS_BLOCK',
    mayDocument,
  ),
  DeletePublicAccessBlock: bucket(
    'DELETE',
    'publicAccessBlock',
    deletePublicAccessBlock,
    manage,
    'REST.DELETE.PUBLIC_ACCESS_BLOCK',
    mayDocument,
  ),
  GetBucketOwnershipControls: bucket(
    'GET',
    'ownershipControls',
    getOwnershipControls,
    visit,
    'REST.GET.OWNERSHIP_CONTROLS',
    isInAws,
  ),
  PutBucketOwnershipControls: bucket(
    'PUT',
    'ownershipControls',
    putOwnershipControls,
    manage,
    'REST.PUT.OWNERSHIP_CONTROLS',
    mayDocument,
  ),
  DeleteBucketOwnershipControls: bucket(
    'DELETE',
    'ownershipControls',
    deleteOwnershipControls,
    manage,
    'REST.DELETE.OWNERSHIP_CONTROLS',
    mayDocument,
  ),
  GetBucketVersioning: bucket(
    'GET',
    'versioning',
    getBucketVersioning,
    visit,
    'REST.GET.VERSIONING',
    isInAws,
  ),
  PutBucketVersioning: bucket(
    'PUT',
    'versioning',
    putBucketVersioning,
    manage,
    'REST.PUT.VERSIONING',
    mayDocument,
  ),
  GetBucketNotificationConfiguration: bucket(
    'GET',
    'notification',
    getBucketNotification,
    visit,
    'REST.GET.NOTIFICATION',
    isInAws,
  ),
  PutBucketNotificationConfiguration: bucket(
    'PUT',
    'notification',
    putBucketNotification,
    manage,
    'REST.PUT.NOTIFICATION',
    mayDocument,
  ),
  BucketDefault: bucket('GET', Object.keys(bucketDefaults), bucketDefault, visit, (query) =>
    defaultLogName(bucketDefaults, query),
  ),
  GetObject: object('GET', none, getObject, getAccess, 'REST.GET.OBJECT'),
  HeadObject: object('HEAD', none, headObject, getAccess, 'REST.HEAD.OBJECT'),
  GetObjectAttributes: object(
    'GET',
    'attributes',
    getObjectAttributes,
    read,
    'REST.GET.OBJECT_ATTRIBUTES',
  ),
  CopyObject: object('PUT', none, copyObject, write, 'REST.COPY.OBJECT', isCopy),
  PutObject: object('PUT', none, putObject, write, 'REST.PUT.OBJECT'),
  PostObject: object('POST', none, postObject, write, 'REST.POST.OBJECT', isForm),
  DeleteObject: object('DELETE', none, deleteObject, remove, 'REST.DELETE.OBJECT'),
  CreateMultipartUpload: object(
    'POST',
    'uploads',
    createMultipartUpload,
    write,
    'REST.POST.UPLOADS',
  ),
  UploadPartCopy: object('PUT', 'uploadId', uploadPartCopy, write, 'REST.COPY.PART', isCopy),
  UploadPart: object('PUT', 'uploadId', uploadPart, write, 'REST.PUT.PART'),
  CompleteMultipartUpload: object(
    'POST',
    'uploadId',
    completeMultipartUpload,
    write,
    'REST.POST.UPLOAD',
  ),
  AbortMultipartUpload: object(
    'DELETE',
    'uploadId',
    abortMultipartUpload,
    write,
    'REST.DELETE.UPLOAD',
  ),
  ListParts: object('GET', 'uploadId', listParts, readParts, 'REST.GET.UPLOAD'),
  PutObjectAcl: object('PUT', 'acl', putObjectAcl, write, 'REST.PUT.ACL', acceptsAcls),
  GetObjectTagging: object('GET', 'tagging', getObjectTagging, read, 'REST.GET.OBJECT_TAGGING'),
  PutObjectTagging: object(
    'PUT',
    'tagging',
    putObjectTagging,
    write,
    'REST.PUT.OBJECT_TAGGING',
    mayTag,
  ),
  DeleteObjectTagging: object(
    'DELETE',
    'tagging',
    deleteObjectTagging,
    write,
    'REST.DELETE.OBJECT_TAGGING',
    mayTag,
  ),
  ObjectDefault: object('GET', Object.keys(objectDefaults), objectDefault, read, (query) =>
    defaultLogName(objectDefaults, query),
  ),
} satisfies OperationTable

export type OperationName = keyof typeof operations
