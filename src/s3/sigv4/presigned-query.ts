import type { HttpRequest } from '../../http/message.ts'
import { S3Error } from '../errors.ts'
import { percentDecode } from '../query.ts'
import { type SignatureClaim, splitSignedHeaders } from './signature-claim.ts'
import { versionFourNeeded } from './version-two.ts'

const attempt =
  /(?:^|&)(?:x-amz-(?:algorithm|credential|date|expires|signedheaders|signature)|signature|awsaccesskeyid)(?:=|&|$)/i

const parameters = new Set([
  'X-Amz-Algorithm',
  'X-Amz-Credential',
  'X-Amz-Date',
  'X-Amz-Expires',
  'X-Amz-SignedHeaders',
  'X-Amz-Signature',
  'X-Amz-Content-Sha256',
])

/** Whether a raw query has any parameter of a presigned URL, of Version 2 or 4. */
export function isPresigningAttempt(rawQuery: string): boolean {
  return rawQuery !== '' && attempt.test(rawQuery)
}

/**
 * Reads the presigned form
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html).
 *
 * @throws S3Error AccessDenied when a parameter is missing or there twice.
 * @throws S3Error InvalidURI when an escape in one is broken.
 */
export function readPresignedQuery(request: HttpRequest): SignatureClaim {
  const { rawQuery } = request
  if (/(?:^|&)AWSAccessKeyId=/.test(rawQuery)) throw versionFourNeeded('query parameters')
  const values = readParameters(rawQuery)
  const credential = values.get('X-Amz-Credential')
  const signedHeaders = values.get('X-Amz-SignedHeaders')
  const signature = values.get('X-Amz-Signature')
  const amzDate = values.get('X-Amz-Date')
  const isAlgorithm = values.get('X-Amz-Algorithm') === 'AWS4-HMAC-SHA256'
  if (!isAlgorithm || !credential || !signedHeaders || !signature || !amzDate) {
    throw new S3Error(
      'AccessDenied',
      'Query-string authentication needs X-Amz-Algorithm=AWS4-HMAC-SHA256, X-Amz-Credential, ' +
        'X-Amz-Date, X-Amz-Expires, X-Amz-SignedHeaders and X-Amz-Signature.',
    )
  }
  const payloadHash = request.headers['x-amz-content-sha256']
  return {
    form: 'presigned',
    credential,
    signedHeaders: splitSignedHeaders(signedHeaders),
    signature,
    amzDate,
    expires: values.get('X-Amz-Expires'),
    payloadHash: typeof payloadHash === 'string' ? payloadHash : values.get('X-Amz-Content-Sha256'),
  }
}

function readParameters(rawQuery: string): Map<string, string> {
  const values = new Map<string, string>()
  for (const pair of rawQuery.split('&')) {
    const equals = pair.indexOf('=')
    const name = equals < 0 ? pair : pair.slice(0, equals)
    if (!parameters.has(name)) continue
    // Two readers of one URL must not see different values.
    if (values.has(name)) throw new S3Error('AccessDenied', `The query has ${name} more than once.`)
    values.set(name, equals < 0 ? '' : percentDecode(pair.slice(equals + 1)))
  }
  return values
}
