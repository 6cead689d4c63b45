import { S3Error } from '../errors.ts'

/** The refusal of Signature Version 2, which boto3 and aws-cli still presign with by default. */
export function versionFourNeeded(seen: string): S3Error {
  return new S3Error(
    'AccessDenied',
    `The request has ${seen} of Signature Version 2. Use Signature Version 4: in boto3, pass ` +
      "Config(signature_version='s3v4') to the client; for aws-cli, run " +
      '"aws configure set default.s3.signature_version s3v4".',
    { inAws: { code: 'InvalidRequest' } },
  )
}
