import type { HttpRequest } from '../../../platform/http/message.ts'
import { percentDecode } from '../address/query.ts'
import { malformedClaim, readSignedHeaders, type SignatureClaim } from './signature-claim.ts'
import { uriDecode } from './uri-encode.ts'
import { versionFourNeeded } from './version-two.ts'

/** The accepted spelling of each name, by the name in lower case. */
const presigningParameters: ReadonlyMap<string, string> = new Map(
  [
    'X-Amz-Algorithm',
    'X-Amz-Credential',
    'X-Amz-Date',
    'X-Amz-Expires',
    'X-Amz-Security-Token',
    'X-Amz-SignedHeaders',
    'X-Amz-Signature',
  ].map((name) => [name.toLowerCase(), name]),
)

const maxShownName = 100

/**
 * Whether a raw query has a parameter that only presigned URLs have: one of Version 2, or any x-amz-* parameter, which is
 * a header field in a presigned URL and must not be ignored in another request. Names are compared decoded and without
 * case, because a signature may match another spelling of a name than the one received.
 */
export function isPresigningAttempt(rawQuery: string): boolean {
  if (rawQuery === '') return false
  for (const pair of rawQuery.split('&')) {
    const name = decodedName(rawNameOf(pair))
    if (name.startsWith('x-amz-') || name === 'awsaccesskeyid' || name === 'signature') return true
  }
  return false
}

/**
 * Reads the presigned form
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html).
 *
 * @throws S3Error AccessDenied if a parameter is missing, repeated or spelled differently; InvalidURI for an invalid
 *   escape
 */
export function readPresignedQuery(request: HttpRequest): SignatureClaim {
  const values = readParameters(request.rawQuery)
  const credential = values.get('X-Amz-Credential')
  const signedHeaders = values.get('X-Amz-SignedHeaders')
  const signature = values.get('X-Amz-Signature')
  const amzDate = values.get('X-Amz-Date')
  const isAlgorithm = values.get('X-Amz-Algorithm') === 'AWS4-HMAC-SHA256'
  if (!isAlgorithm || !credential || !signedHeaders || !signature || !amzDate) {
    throw malformedClaim(
      'presigned',
      'Query-string authentication needs X-Amz-Algorithm=AWS4-HMAC-SHA256, X-Amz-Credential, ' +
        'X-Amz-Date, X-Amz-Expires, X-Amz-SignedHeaders and X-Amz-Signature.',
    )
  }
  const payloadHash = request.headers['x-amz-content-sha256']
  return {
    form: 'presigned',
    credential,
    signedHeaders: readSignedHeaders(signedHeaders, 'presigned'),
    signature,
    amzDate,
    expires: values.get('X-Amz-Expires'),
    payloadHash: payloadHash?.toString() || values.get('X-Amz-Content-Sha256'),
  }
}

/** The x-amz-* parameters by name, as received. */
function readParameters(rawQuery: string): Map<string, string> {
  const values = new Map<string, string>()
  const seen = new Set<string>()
  for (const pair of rawQuery.split('&')) {
    const rawName = rawNameOf(pair)
    const name = decodedName(rawName)
    if (name === 'awsaccesskeyid') throw versionFourNeeded('query parameters')
    if (!name.startsWith('x-amz-')) continue
    const spelling = presigningParameters.get(name) ?? rawName
    if (spelling !== rawName) {
      throw malformedClaim('presigned', `The query parameter must be spelled ${spelling}.`)
    }
    // Different readers of a URL could see different values, and the order of repeated parameters is not signed.
    if (seen.has(name)) {
      throw malformedClaim('presigned', `The query has ${shown(name)} more than once.`)
    }
    seen.add(name)
    values.set(rawName, percentDecode(pair.slice(rawName.length + 1)))
  }
  return values
}

function shown(name: string): string {
  return presigningParameters.get(name) ?? JSON.stringify(name.slice(0, maxShownName))
}

function rawNameOf(pair: string): string {
  const equals = pair.indexOf('=')
  return equals < 0 ? pair : pair.slice(0, equals)
}

function decodedName(rawName: string): string {
  return uriDecode(rawName).toLowerCase()
}
