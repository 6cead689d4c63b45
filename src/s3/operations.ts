import type { WantedAccess } from '../access/authorize.ts'
import type {
  BucketOperation,
  NewBucketOperation,
  ObjectOperation,
  ServiceOperation,
} from './address/detect.ts'
import type {
  BucketContext,
  NewBucketContext,
  ObjectContext,
  Operation,
  ServiceContext,
} from './context.ts'
import { abortMultipartUpload } from './operations/abort-multipart-upload.ts'
import { deleteBucketCors, getBucketCors, putBucketCors } from './operations/bucket-cors.ts'
import {
  deleteBucketLifecycle,
  getBucketLifecycle,
  putBucketLifecycle,
} from './operations/bucket-lifecycle.ts'
import { completeMultipartUpload } from './operations/complete-multipart-upload.ts'
import { copyObject } from './operations/copy-object.ts'
import { createBucket } from './operations/create-bucket.ts'
import { createMultipartUpload } from './operations/create-multipart-upload.ts'
import { deleteBucket } from './operations/delete-bucket.ts'
import { deleteObject } from './operations/delete-object.ts'
import { deleteObjects } from './operations/delete-objects.ts'
import { getBucketLocation } from './operations/get-bucket-location.ts'
import { getObject, headObject } from './operations/get-object.ts'
import { getObjectAttributes } from './operations/get-object-attributes.ts'
import { headBucket } from './operations/head-bucket.ts'
import { listBuckets } from './operations/list-buckets.ts'
import { listMultipartUploads } from './operations/list-multipart-uploads.ts'
import { listObjectVersions } from './operations/list-object-versions.ts'
import { listObjects, listObjectsV2 } from './operations/list-objects.ts'
import { listParts } from './operations/list-parts.ts'
import { putObject } from './operations/put-object.ts'
import { bucketDefault, objectDefault } from './operations/subresource-defaults.ts'
import { uploadPart } from './operations/upload-part.ts'
import { uploadPartCopy } from './operations/upload-part-copy.ts'

/** The access that an operation requires: checked once, before it runs. */
export interface Access {
  /** The right to the key; for `list` to the prefix. `any`: some right in the bucket. */
  readonly action: WantedAccess['action']
  /**
   * Who may do it in a public bucket without that right, also unsigned. `read`: everyone, as every
   * GET and HEAD (docs/contract/object-storage.md, "Public buckets"); `list`: everyone if
   * PUBLIC_LIST allows it.
   */
  readonly public?: 'read' | 'list'
}

const visit = { action: 'any', public: 'read' } as const satisfies Access
const list = { action: 'list', public: 'list' } as const satisfies Access
const read = { action: 'read', public: 'read' } as const satisfies Access
const manage = { action: 'manage' } as const satisfies Access
const write = { action: 'write' } as const satisfies Access

interface Definition<Context extends ServiceContext> {
  readonly access: Access
  readonly handle: Operation<Context>
}

export const serviceOperations: Readonly<Record<ServiceOperation, Definition<ServiceContext>>> = {
  ListBuckets: { access: { action: 'any' }, handle: listBuckets },
}

export const newBucketOperations: Readonly<
  Record<NewBucketOperation, Definition<NewBucketContext>>
> = {
  CreateBucket: { access: manage, handle: createBucket },
}

export const bucketOperations: Readonly<Record<BucketOperation, Definition<BucketContext>>> = {
  BucketDefault: { access: visit, handle: bucketDefault },
  DeleteBucket: { access: manage, handle: deleteBucket },
  DeleteBucketCors: { access: manage, handle: deleteBucketCors },
  DeleteBucketLifecycle: { access: manage, handle: deleteBucketLifecycle },
  // Each key is authorized by itself.
  DeleteObjects: { access: { action: 'any' }, handle: deleteObjects },
  // Everyone may learn that there are no rules, as before there were any.
  GetBucketCors: { access: visit, handle: getBucketCors },
  GetBucketLifecycleConfiguration: { access: visit, handle: getBucketLifecycle },
  GetBucketLocation: { access: visit, handle: getBucketLocation },
  HeadBucket: { access: visit, handle: headBucket },
  ListMultipartUploads: { access: list, handle: listMultipartUploads },
  ListObjects: { access: list, handle: listObjects },
  ListObjectsV2: { access: list, handle: listObjectsV2 },
  ListObjectVersions: { access: list, handle: listObjectVersions },
  PutBucketCors: { access: manage, handle: putBucketCors },
  PutBucketLifecycleConfiguration: { access: manage, handle: putBucketLifecycle },
}

export const objectOperations: Readonly<Record<ObjectOperation, Definition<ObjectContext>>> = {
  AbortMultipartUpload: { access: write, handle: abortMultipartUpload },
  CompleteMultipartUpload: { access: write, handle: completeMultipartUpload },
  CopyObject: { access: write, handle: copyObject },
  CreateMultipartUpload: { access: write, handle: createMultipartUpload },
  DeleteObject: { access: { action: 'delete' }, handle: deleteObject },
  GetObject: { access: read, handle: getObject },
  GetObjectAttributes: { access: read, handle: getObjectAttributes },
  HeadObject: { access: read, handle: headObject },
  // The parts belong to whoever uploads; in a public bucket every GET is public.
  ListParts: { access: { action: 'write', public: 'read' }, handle: listParts },
  ObjectDefault: { access: read, handle: objectDefault },
  PutObject: { access: write, handle: putObject },
  UploadPart: { access: write, handle: uploadPart },
  UploadPartCopy: { access: write, handle: uploadPartCopy },
}
