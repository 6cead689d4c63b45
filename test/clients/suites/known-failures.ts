/** The name of a suite → why tests fail → these tests. */
export const knownFailures: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> =
  {
    'github.com/minio/minio-go/v7': {
      'A policy may only allow anonymous users to read and list; these allow them to write.': [
        'testCors',
        'testFunctional',
        'testFunctionalV2',
      ],
      'An object that was sent without a checksum has none. AWS adds a CRC64NVME.': [
        'testCopyObjectWithChecksums',
        'testReplaceObjectWithChecksums',
      ],
      'A copy keeps the checksum of checksums of its source, since no bytes are read. AWS computes one of the whole object.':
        ['testPutMultipartObjectWithChecksums'],
      'Listings with user metadata are an extension of MinIO.': ['testListUnsorted'],
      'Expects NoSuchVersion for a UUID. No version has such an ID here, and AWS answers InvalidArgument.':
        ['testGetObjectAttributesErrorCases'],
      'Expects uploads without initiator and owner, and those of the key of the marker. AWS lists greater keys.':
        ['testListMultipartUpload'],
      'The form names its file field "", where S3 requires "file".': [
        'testPresignedPostPolicyEmptyFileName',
      ],
    },
    minio: {
      'A policy may only allow anonymous users to read and list; this one allows them to write.': [
        'test_set_bucket_policy_readwrite',
      ],
      'Unpacking an uploaded archive is an extension of MinIO.': [
        'test_upload_snowball_objects',
        'test_upload_snowball_objects_with_staging',
      ],
    },
    'github.com/distribution/distribution/v3': {
      'Inspects the HTTP client of the SDK, without a request.': [
        'TestClientTransport',
        'TestClientTransport/SkipVerify_false',
      ],
    },
  }
