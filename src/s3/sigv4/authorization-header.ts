import type { HttpRequest } from '../../http/message.ts'
import { S3Error } from '../errors.ts'
import { type SignatureClaim, splitSignedHeaders } from './signature-claim.ts'
import { versionFourNeeded } from './version-two.ts'

const algorithm = 'AWS4-HMAC-SHA256'

/**
 * Reads the header form
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-auth-using-authorization-header.html).
 *
 * @throws S3Error AccessDenied when the header is not of that form.
 */
export function readAuthorizationHeader(request: HttpRequest, header: string): SignatureClaim {
  if (header.startsWith('AWS ')) throw versionFourNeeded('an Authorization header')
  const fields = readFields(header)
  const credential = fields?.get('Credential')
  const signedHeaders = fields?.get('SignedHeaders')
  const signature = fields?.get('Signature')
  if (!credential || !signedHeaders || !signature) {
    throw new S3Error(
      'AccessDenied',
      `The Authorization header is malformed; expected "${algorithm} Credential=…, SignedHeaders=…, Signature=…".`,
    )
  }
  return {
    form: 'header',
    credential,
    signedHeaders: splitSignedHeaders(signedHeaders),
    signature,
    amzDate: headerText(request.headers['x-amz-date']),
    expires: undefined,
    payloadHash: headerText(request.headers['x-amz-content-sha256']) || undefined,
  }
}

/** Undefined when the header has another algorithm, no `=` in a field, or a field twice. */
function readFields(header: string): Map<string, string> | undefined {
  if (!header.startsWith(`${algorithm} `)) return undefined
  const fields = new Map<string, string>()
  for (const field of header.slice(algorithm.length + 1).split(',')) {
    const equals = field.indexOf('=')
    const name = field.slice(0, Math.max(equals, 0)).trim()
    if (equals < 0 || fields.has(name)) return undefined
    fields.set(name, field.slice(equals + 1).trim())
  }
  return fields
}

function headerText(value: string | string[] | undefined): string {
  return typeof value === 'string' ? value : ''
}
