import type { Schema } from './open-api-types.ts'

/** The XML documents of S3, as described in docs/contract and the API reference. */

const text: Schema = { type: 'string' }
const whole: Schema = { type: 'integer', minimum: 0 }
const flag: Schema = { type: 'boolean' }
const time: Schema = { type: 'string', format: 'date-time' }

function element(name: string, properties: Readonly<Record<string, Schema>>): Schema {
  return { type: 'object', xml: { name }, properties }
}

/** S3 repeats elements without a wrapper. */
function repeated(items: Schema): Schema {
  return { type: 'array', items, xml: { wrapped: false } }
}

const entry = element('Contents', {
  Key: text,
  LastModified: time,
  ETag: text,
  Size: whole,
  StorageClass: text,
})
const commonPrefix = element('CommonPrefixes', { Prefix: text })
const listing = {
  Name: text,
  Prefix: text,
  Delimiter: text,
  MaxKeys: whole,
  EncodingType: text,
  IsTruncated: flag,
  Contents: repeated(entry),
  CommonPrefixes: repeated(commonPrefix),
}
const copied = { LastModified: time, ETag: text }

export const s3Schemas = {
  S3Error: {
    ...element('Error', { Code: text, Message: text, Resource: text, RequestId: text }),
    required: ['Code', 'Message', 'RequestId'],
    description: 'An error with a code of S3.',
  },
  ListAllMyBucketsResult: element('ListAllMyBucketsResult', {
    Owner: element('Owner', { ID: text, DisplayName: text }),
    Buckets: {
      type: 'array',
      xml: { wrapped: true },
      items: element('Bucket', { Name: text, CreationDate: time }),
    },
    ContinuationToken: text,
  }),
  ListBucketResultV2: element('ListBucketResult', {
    ...listing,
    KeyCount: whole,
    StartAfter: text,
    ContinuationToken: text,
    NextContinuationToken: text,
  }),
  ListBucketResult: element('ListBucketResult', { ...listing, Marker: text, NextMarker: text }),
  ListVersionsResult: element('ListVersionsResult', {
    Name: text,
    IsTruncated: flag,
    Version: repeated(element('Version', { Key: text, VersionId: text, IsLatest: flag })),
  }),
  ListMultipartUploadsResult: element('ListMultipartUploadsResult', {
    Bucket: text,
    KeyMarker: text,
    UploadIdMarker: text,
    NextKeyMarker: text,
    NextUploadIdMarker: text,
    MaxUploads: whole,
    IsTruncated: flag,
  }),
  LocationConstraint: { type: 'string', xml: { name: 'LocationConstraint' } },
  Configuration: {
    type: 'object',
    description: 'What S3 returns when nothing is configured; it differs by subresource.',
  },
  Delete: element('Delete', {
    Quiet: flag,
    Object: repeated(element('Object', { Key: text, ETag: text })),
  }),
  DeleteResult: element('DeleteResult', {
    Deleted: repeated(element('Deleted', { Key: text })),
    Error: repeated(element('Error', { Key: text, Code: text, Message: text })),
  }),
  CopyObjectResult: element('CopyObjectResult', copied),
  CopyPartResult: element('CopyPartResult', copied),
  InitiateMultipartUploadResult: {
    ...element('InitiateMultipartUploadResult', { Bucket: text, Key: text, UploadId: text }),
    required: ['Bucket', 'Key', 'UploadId'],
  },
  CompleteMultipartUpload: element('CompleteMultipartUpload', {
    Part: repeated({
      ...element('Part', {
        PartNumber: { type: 'integer', minimum: 1, maximum: 10_000 },
        ETag: text,
      }),
      required: ['PartNumber', 'ETag'],
    }),
  }),
  CompleteMultipartUploadResult: element('CompleteMultipartUploadResult', {
    Location: text,
    Bucket: text,
    Key: text,
    ETag: text,
  }),
  ListPartsResult: element('ListPartsResult', {
    Bucket: text,
    Key: text,
    UploadId: text,
    NextPartNumberMarker: whole,
    IsTruncated: flag,
    Part: repeated(
      element('Part', { PartNumber: whole, LastModified: time, ETag: text, Size: whole }),
    ),
  }),
  GetObjectAttributesResponse: element('GetObjectAttributesResponse', {
    ETag: text,
    StorageClass: text,
    ObjectSize: whole,
  }),
} as const satisfies Readonly<Record<string, Schema>>

export type S3SchemaName = keyof typeof s3Schemas
