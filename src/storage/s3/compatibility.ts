/** COMPATIBILITY. `contract`: the contract to the letter. */
export type CompatibilityMode = 'contract' | 'aws'

/** What clients see in each mode, as docs/s3-compatibility.md shows it. */
interface Difference {
  readonly contract: string
  readonly aws: string
}

/**
 * All that COMPATIBILITY=aws changes: one row for each difference. Each is read in one place, as
 * `compatibility.<name>`, which is true with `aws`. `npm run docs` writes the table into docs/s3-compatibility.md. A
 * test in test/acceptance/compatibility, named after the row, shows it in both modes.
 */
export const differences = {
  absentDeletes: {
    contract: 'DELETE of an object that does not exist: 404 NoSuchKey',
    aws: '204',
  },
  awsErrors: {
    contract:
      'The codes of [the contract](contract/object-storage.md#error-codes): AccessDenied for failed ' +
      'authentication, InvalidArgument for a malformed list of parts, InvalidDigest for a malformed checksum, ' +
      'NotImplemented for every write of a sub-resource',
    aws: "AWS's codes: SignatureDoesNotMatch, InvalidAccessKeyId, AuthorizationHeaderMalformed, AuthorizationQueryParametersError, NoSuchBucket, MalformedXML, InvalidRequest for a malformed checksum, MethodNotAllowed for a method that the sub-resource does not have in S3",
  },
  bucketDocuments: {
    contract:
      'Policy, PublicAccessBlock, OwnershipControls and tags of a bucket: a write gets 501 NotImplemented',
    aws: 'They are stored if they agree with what the gateway does: see [Bucket policies](#bucket-policies) and [Other settings of buckets](#other-settings-of-buckets)',
  },
  copySourcePluses: {
    contract: '`+` in x-amz-copy-source is a plus',
    aws: 'It is a space. A plus is written `%2B`',
  },
  dateHeaders: {
    contract: 'A signed request without x-amz-date: 403 AccessDenied',
    aws: 'Its Date header gives the time of signing',
  },
  deleteChecksums: {
    contract: 'DeleteObjects needs no checksum',
    aws: 'Without Content-MD5 and x-amz-checksum-*: 400 InvalidRequest',
  },
  formUploads: {
    contract: 'POST of a form to a bucket: 405 MethodNotAllowed',
    aws: 'It uploads the file of the form: see [Forms](#forms)',
  },
  listedUploads: {
    contract: 'ListMultipartUploads never lists an upload',
    aws:
      'It lists the open uploads of keys that the access key may list. An unsigned request gets an ' +
      'empty list, even for a public bucket',
  },
  minioHealth: {
    contract: '`/minio/health/live` is a key of the bucket `minio`',
    aws: '`/minio/health/live`, `/ready`, `/cluster` and `/cluster/read` respond like probes, `/minio/v2/metrics/cluster` like `/-/metrics`, and `/minio/admin/` reports that there is no such API, unless a bucket `minio` is served',
  },
  objectTags: {
    contract:
      'x-amz-tagging, PutObjectTagging, DeleteObjectTagging and lifecycle rules for tags: 501 NotImplemented',
    aws: 'Objects have [tags](#tags)',
  },
  pageMaximums: {
    contract: '`max-uploads` or `max-parts` of 0, and `max-parts` above 1,000: 400 InvalidArgument',
    aws: 'An empty page, and a page of at most 1,000 parts',
  },
  requiredLengths: {
    contract: 'PutObject and UploadPart need no length if the body is chunked',
    aws: 'Without Content-Length and x-amz-decoded-content-length: 411 MissingContentLength',
  },
  signedBodies: {
    contract: 'The payload hash and the signatures of chunks are not compared with the body',
    aws: 'They are compared before anything is published: 400 XAmzContentSHA256Mismatch, 403 SignatureDoesNotMatch',
  },
  storageClasses: {
    contract: 'A storage class other than STANDARD: 501 NotImplemented',
    aws: 'Its name is stored and returned: see [Storage classes](#storage-classes)',
  },
  unorderedParts: {
    contract: 'Parts come in order, and a list of parts has no gaps: see [Part order](#part-order)',
    aws: 'On a folder, parts come in any order, and any of them may be sent again or left out',
  },
  versionTwo: {
    contract: 'Signature Version 2 is refused',
    aws: 'It is accepted in headers, presigned URLs and forms: see [Signature Version 2](#signature-version-2)',
  },
} as const satisfies Readonly<Record<string, Difference>>

export type DifferenceName = keyof typeof differences

/** Whether each difference is in force. */
export type Compatibility = Readonly<Record<DifferenceName, boolean>>

export const compatibilityOf: Readonly<Record<CompatibilityMode, Compatibility>> = {
  contract: allOf(false),
  aws: allOf(true),
}

function allOf(inForce: boolean): Compatibility {
  const names = Object.keys(differences) as DifferenceName[]
  return Object.fromEntries(names.map((name) => [name, inForce])) as Record<DifferenceName, boolean>
}
