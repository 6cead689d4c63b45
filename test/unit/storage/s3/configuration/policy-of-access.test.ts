import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  parsePolicy,
  policyOfAccess,
} from '../../../../../src/storage/s3/configuration/policy-document.ts'

const bucket = 'photos'

/** As mc of March 2025 stores them. */
for (const [access, text] of Object.entries({
  download:
    '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"AWS":["*"]},"Action":["s3:GetBucketLocation","s3:ListBucket"],"Resource":["arn:aws:s3:::photos"]},{"Effect":"Allow","Principal":{"AWS":["*"]},"Action":["s3:GetObject"],"Resource":["arn:aws:s3:::photos/*"]}]}',
  upload:
    '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"AWS":["*"]},"Action":["s3:GetBucketLocation","s3:ListBucketMultipartUploads"],"Resource":["arn:aws:s3:::photos"]},{"Effect":"Allow","Principal":{"AWS":["*"]},"Action":["s3:AbortMultipartUpload","s3:DeleteObject","s3:ListMultipartUploadParts","s3:PutObject"],"Resource":["arn:aws:s3:::photos/*"]}]}',
  public:
    '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"AWS":["*"]},"Action":["s3:GetBucketLocation","s3:ListBucket","s3:ListBucketMultipartUploads"],"Resource":["arn:aws:s3:::photos"]},{"Effect":"Allow","Principal":{"AWS":["*"]},"Action":["s3:AbortMultipartUpload","s3:DeleteObject","s3:GetObject","s3:ListMultipartUploadParts","s3:PutObject"],"Resource":["arn:aws:s3:::photos/*"]}]}',
})) {
  test(`mc anonymous set ${access}: the policy is kept, and DEFAULT_BUCKETS makes the same`, () => {
    assert.equal(parsePolicy(Buffer.from(text), bucket).text, text)
    assert.equal(policyOfAccess(access as 'public', bucket)?.text, text)
  })
}
