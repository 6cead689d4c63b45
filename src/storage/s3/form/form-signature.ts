/**
 * The signature of a form, over its policy in base64: Version 4
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-authentication-HTTPPOST.html), or Version 2
 * (https://docs.aws.amazon.com/AmazonS3/latest/userguide/HTTPPOSTForms.html), which boto3 makes by default.
 */

import { createHmac } from 'node:crypto'
import type { HttpRequest } from '../../../platform/http/message.ts'
import { invalidArgument, S3Error } from '../errors.ts'
import { type Authentication, accepted } from '../sigv4/authenticate.ts'
import { checkCredential, checkTime } from '../sigv4/claim-checks.ts'
import type { SignatureClaim, SignatureSettings } from '../sigv4/signature-claim.ts'
import { type SignatureMismatch, signatureMismatch } from '../sigv4/signature-mismatch.ts'
import { decoy, matchSecret, signingKey } from '../sigv4/signing-key.ts'

type Fields = ReadonlyMap<string, string>

/** What a form claims about its signature. Not verified. */
interface FormClaim {
  readonly accessKeyId: string
  readonly signature: string
  sign(secretKey: string): string
}

/** How long a form of Version 4 is valid: as long as a presigned URL, and as its signing key. */
const maxAgeSeconds = '604800'

/** The fields of the signature that need no condition in the policy. */
export function fieldsOfSignature(fields: Fields): ReadonlySet<string> {
  return new Set(isVersionFour(fields) ? ['x-amz-signature'] : ['awsaccesskeyid', 'signature'])
}

/**
 * Verifies the signature of a form. Its policy says what it allows.
 *
 * @throws S3Error AccessDenied without a policy, InvalidArgument for a missing field, and as `authenticate`
 */
export function authenticateForm(
  fields: Fields,
  request: HttpRequest,
  settings: SignatureSettings,
  nowMs: number,
  onMismatch?: (details: SignatureMismatch) => void,
): Authentication {
  const policy = fields.get('policy')
  if (policy === undefined) {
    throw new S3Error('AccessDenied', 'Access Denied: a form needs a policy and its signature.')
  }
  // What is signed are bytes; in base64, each character is one.
  if (!/^[\x20-\x7e]*$/.test(policy)) throw invalidArgument('policy', policy, 'Not in base64.')
  const claim = isVersionFour(fields)
    ? versionFour(fields, policy, settings, nowMs)
    : versionTwo(fields, policy)
  const known = settings.keys.find(claim.accessKeyId)
  const credential = known ?? decoy
  const match = matchSecret(credential.secretKeys, claim.signature, (secretKey) => {
    return { signature: claim.sign(secretKey) }
  })
  if (match !== undefined) return accepted('policy', credential)
  const details = () => ({ stringToSign: policy })
  onMismatch?.(details())
  throw signatureMismatch({
    ...{ request, accessKeyId: claim.accessKeyId, isKnownKey: known !== undefined },
    ...{ signature: claim.signature, publicUrl: settings.publicUrl, details },
  })
}

function isVersionFour(fields: Fields): boolean {
  return fields.has('x-amz-algorithm') || fields.has('x-amz-signature')
}

function versionFour(
  fields: Fields,
  policy: string,
  settings: SignatureSettings,
  nowMs: number,
): FormClaim {
  const algorithm = required(fields, 'X-Amz-Algorithm')
  if (algorithm !== 'AWS4-HMAC-SHA256') {
    throw invalidArgument('X-Amz-Algorithm', algorithm, 'X-Amz-Algorithm must be AWS4-HMAC-SHA256.')
  }
  const claim: SignatureClaim = {
    ...{
      form: 'presigned',
      expires: maxAgeSeconds,
      signedHeaders: new Set(),
      payloadHash: undefined,
    },
    credential: required(fields, 'X-Amz-Credential'),
    amzDate: required(fields, 'X-Amz-Date'),
    signature: required(fields, 'X-Amz-Signature'),
  }
  checkTime(claim, nowMs)
  const { accessKeyId, region } = checkCredential(claim, settings)
  const scope = { region, day: claim.amzDate.slice(0, 8) }
  const isForeign = region !== settings.region
  const sign = (secretKey: string) => signingKey({ ...scope, secretKey }, isForeign).signHex(policy)
  return { accessKeyId, signature: claim.signature, sign }
}

function versionTwo(fields: Fields, policy: string): FormClaim {
  const accessKeyId = required(fields, 'AWSAccessKeyId')
  const signature = required(fields, 'signature')
  const sign = (secretKey: string) =>
    createHmac('sha1', secretKey).update(policy, 'latin1').digest('base64')
  return { accessKeyId, signature, sign }
}

/**
 * The value of a field that a form must have.
 *
 * @throws S3Error InvalidArgument that names it
 */
export function required(fields: Fields, name: string): string {
  const value = fields.get(name.toLowerCase())
  if (value !== undefined && value !== '') return value
  const message = `Bucket POST must contain a field named '${name}'. If it is specified, please check the order of the fields.`
  throw invalidArgument(name, value ?? '', message)
}
