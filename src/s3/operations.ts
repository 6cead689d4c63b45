import type { BucketOperation, ObjectOperation, ServiceOperation } from './address/detect.ts'
import type { BucketContext, ObjectContext, Operation, ServiceContext } from './context.ts'
import { abortMultipartUpload } from './operations/abort-multipart-upload.ts'
import { completeMultipartUpload } from './operations/complete-multipart-upload.ts'
import { copyObject } from './operations/copy-object.ts'
import { createMultipartUpload } from './operations/create-multipart-upload.ts'
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

/** The access it requires: checked once, before the operation runs. */
export type Access =
  /** Only with a valid signature. */
  | 'signed'
  /**
   * Also unsigned, on a bucket of PUBLIC_READ_BUCKETS: every GET and HEAD
   * (docs/contract/object-storage.md, "Public buckets").
   */
  | 'public-read'
  /** As public-read, when PUBLIC_LIST allows it. */
  | 'public-list'

interface Definition<Context extends ServiceContext> {
  readonly access: Access
  readonly handle: Operation<Context>
}

export const serviceOperations: Readonly<Record<ServiceOperation, Definition<ServiceContext>>> = {
  ListBuckets: { access: 'signed', handle: listBuckets },
}

export const bucketOperations: Readonly<Record<BucketOperation, Definition<BucketContext>>> = {
  BucketDefault: { access: 'public-read', handle: bucketDefault },
  DeleteObjects: { access: 'signed', handle: deleteObjects },
  GetBucketLocation: { access: 'public-read', handle: getBucketLocation },
  HeadBucket: { access: 'public-read', handle: headBucket },
  ListMultipartUploads: { access: 'public-list', handle: listMultipartUploads },
  ListObjects: { access: 'public-list', handle: listObjects },
  ListObjectsV2: { access: 'public-list', handle: listObjectsV2 },
  ListObjectVersions: { access: 'public-list', handle: listObjectVersions },
}

export const objectOperations: Readonly<Record<ObjectOperation, Definition<ObjectContext>>> = {
  AbortMultipartUpload: { access: 'signed', handle: abortMultipartUpload },
  CompleteMultipartUpload: { access: 'signed', handle: completeMultipartUpload },
  CopyObject: { access: 'signed', handle: copyObject },
  CreateMultipartUpload: { access: 'signed', handle: createMultipartUpload },
  DeleteObject: { access: 'signed', handle: deleteObject },
  GetObject: { access: 'public-read', handle: getObject },
  GetObjectAttributes: { access: 'public-read', handle: getObjectAttributes },
  HeadObject: { access: 'public-read', handle: headObject },
  ListParts: { access: 'public-read', handle: listParts },
  ObjectDefault: { access: 'public-read', handle: objectDefault },
  PutObject: { access: 'signed', handle: putObject },
  UploadPart: { access: 'signed', handle: uploadPart },
  UploadPartCopy: { access: 'signed', handle: uploadPartCopy },
}
