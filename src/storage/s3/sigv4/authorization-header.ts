import type { HttpRequest } from '../../../platform/http/message.ts'
import type { AwsForm } from '../errors.ts'
import { formatAmzDate, parseSigningTime } from '../headers/dates.ts'
import {
  malformedClaim,
  readSignedHeaders,
  type SignatureClaim,
  type SignatureSettings,
} from './signature-claim.ts'
import { versionFourNeeded } from './version-two.ts'

const algorithm = 'AWS4-HMAC-SHA256'

/**
 * Reads the header form
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-auth-using-authorization-header.html).
 *
 * @throws S3Error AccessDenied if the header does not have that form
 */
export function readAuthorizationHeader(
  { headers }: Pick<HttpRequest, 'headers'>,
  header: string,
  { dateHeaders = false }: Pick<SignatureSettings, 'dateHeaders'> = {},
): SignatureClaim {
  const amzDate = headerText(headers['x-amz-date'])
  const { credential, signedHeaders, signature } = recall(header) ?? parse(header)
  return {
    form: 'header',
    credential,
    signedHeaders,
    signature,
    amzDate: amzDate || (dateHeaders ? amzDateOf(headers.date) : ''),
    expires: undefined,
    payloadHash: headerText(headers['x-amz-content-sha256']) || undefined,
  }
}

/** The signed time in the form of x-amz-date. Empty if the header is not a date. */
function amzDateOf(date = ''): string {
  const atMs = parseSigningTime(date)
  return atMs === undefined ? '' : formatAmzDate(atMs)
}

type AuthorizationFields = Pick<SignatureClaim, 'credential' | 'signedHeaders' | 'signature'>

/** Parsed headers by their text without the signature, which is the same all day for all clients of one kind. */
const known = new Map<string, AuthorizationFields>()
const maxKnown = 64
const maxKnownLength = 1024
const signatureLength = 64

function recall(header: string): AuthorizationFields | undefined {
  const fields = known.get(header.slice(0, -signatureLength))
  return fields && { ...fields, signature: header.slice(-signatureLength) }
}

function remember(header: string, fields: AuthorizationFields): void {
  const isLast = header.endsWith(`Signature=${fields.signature}`)
  if (!isLast || fields.signature.length !== signatureLength) return
  if (header.length > maxKnownLength) return
  if (known.size >= maxKnown) known.clear()
  known.set(header.slice(0, -signatureLength), fields)
}

function parse(header: string): AuthorizationFields {
  if (header.startsWith('AWS ')) throw versionFourNeeded('an Authorization header')
  const values = readFields(header)
  const credential = values?.get('Credential')
  const signedHeaders = values?.get('SignedHeaders')
  const signature = values?.get('Signature')
  if (!credential || !signedHeaders || !signature) {
    throw malformedClaim(
      'header',
      `The Authorization header is malformed; expected "${algorithm} Credential=…, SignedHeaders=…, Signature=…".`,
      { inAws: otherAuthorization(header) },
    )
  }
  const fields = {
    credential,
    signedHeaders: readSignedHeaders(signedHeaders, 'header'),
    signature,
  }
  remember(header, fields)
  return fields
}

/** AWS ignores an empty header, and replies InvalidArgument to other kinds of authorization. */
export function otherAuthorization(header: string): Partial<AwsForm> {
  if (header === '') return { code: 'AccessDenied' }
  if (header.startsWith(`${algorithm} `)) return {}
  const elements = { ArgumentName: 'Authorization', ArgumentValue: '[redacted]' }
  return { code: 'InvalidArgument', message: 'Unsupported Authorization Type', elements }
}

const fieldCount = 3

/** Undefined for another algorithm, a field without `=`, a repeated field or more than three fields. */
function readFields(header: string): Map<string, string> | undefined {
  if (!header.startsWith(`${algorithm} `)) return undefined
  const fields = new Map<string, string>()
  const parts = header.slice(algorithm.length + 1).split(',', fieldCount + 1)
  if (parts.length > fieldCount) return undefined
  for (const field of parts) {
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
