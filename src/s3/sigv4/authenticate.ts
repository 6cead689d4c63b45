/**
 * Signature Version 4, header and presigned form (docs/contract/object-storage.md,
 * "Authentication"). The bytes signed are not always the bytes received: proxies rewrite Host and
 * Accept-Encoding, and clients escape a path one way and sign it another. If a signature does not
 * match the request as received, a few other readings are tried; a request that matches pays for
 * one.
 */

import { randomBytes } from 'node:crypto'
import type { AccessKeys, Credential } from '../../access/access-keys.ts'
import { anonymous, type Identity } from '../../access/identity.ts'
import type { HttpRequest } from '../../http/message.ts'
import type { S3Settings } from '../context.ts'
import { S3Error } from '../errors.ts'
import { readAuthorizationHeader } from './authorization-header.ts'
import { type CanonicalReading, readings } from './canonical-readings.ts'
import { canonicalRequest, stringToSign } from './canonical-request.ts'
import { checkCredential, checkSignedHeaders, checkTime, isSameText } from './claim-checks.ts'
import { isPresigningAttempt, readPresignedQuery } from './presigned-query.ts'
import { checkRepeatedHeaders, isRepeated, signedHeaderValues } from './received-headers.ts'
import { signatureDiffers, unknownAccessKey } from './refusal-reasons.ts'
import type { SignatureClaim } from './signature-claim.ts'
import { type SigningScope, signingKey } from './signing-key.ts'
import { uriDecode } from './uri-encode.ts'

export interface Authentication {
  /** How the request is signed; `unsigned`: authentication was not even attempted. */
  readonly form: SignatureClaim['form'] | 'unsigned'
  readonly identity: Identity
}

const unsigned: Authentication = { form: 'unsigned', identity: anonymous }

/** Of a key that is being rotated. */
const maxSecretKeys = 2

/** Checked in place of secrets that an access key does not have, so that a wrong signature takes the same time. */
const decoy = {
  secretKeys: [randomBytes(30).toString('base64')] as const,
  identity: anonymous,
  refusal: 'This access key does not exist.',
} satisfies Credential

/** What the server canonicalised, for the debug log. Without session tokens and customer keys. */
export interface SignatureMismatch {
  readonly canonicalRequest: string
  readonly stringToSign: string
}

export interface SignatureSettings extends Pick<S3Settings, 'region' | 'publicUrl'> {
  readonly keys: Pick<AccessKeys, 'find'>
}

/**
 * Verifies the signature of a request, if it has one.
 *
 * @param nowMs wall clock, milliseconds since the epoch.
 * @param onMismatch called before a signature that does not match is refused. Its details are as
 *   long as the request; omit it where they are not used.
 * @throws S3Error RequestTimeTooSkewed for a wrong clock, AccessDenied for every other failure.
 */
export function authenticate(
  request: HttpRequest,
  settings: SignatureSettings,
  nowMs: number,
  onMismatch?: (details: SignatureMismatch) => void,
): Authentication {
  const claim = readClaim(request)
  if (claim === undefined) return unsigned
  checkTime(claim, nowMs)
  const { scope, accessKeyId } = checkCredential(claim, settings)
  const known = settings.keys.find(accessKeyId)
  const credential = known ?? decoy
  checkSignedHeaders(claim, request)
  const signedHeaders = signedHeaderValues(request.rawHeaders, claim.signedHeaders)
  checkRepeatedHeaders(request.headers, signedHeaders)
  const { region, publicUrl } = settings
  const signer = { region, day: claim.amzDate.slice(0, 8), secretKeys: credential.secretKeys }
  const textOf = (reading: CanonicalReading) =>
    stringToSign(canonicalRequest(reading), claim.amzDate, scope)
  let likeliest: CanonicalReading | undefined
  for (const reading of readings({ request, claim, signedHeaders, publicUrl })) {
    if (isSigned(textOf(reading), claim.signature, signer)) return accepted(claim, credential)
    likeliest ??= reading
  }
  if (onMismatch !== undefined && likeliest !== undefined) {
    onMismatch({ canonicalRequest: redacted(likeliest), stringToSign: textOf(likeliest) })
  }
  throw new S3Error(
    'AccessDenied',
    'The access key ID you provided does not exist, or the request signature we calculated does ' +
      'not match the signature you provided. Check your keys and signing method.',
    {
      reason: known === undefined ? unknownAccessKey : signatureDiffers(request.headers, publicUrl),
    },
  )
}

interface Signer extends Omit<SigningScope, 'secretKey'> {
  readonly secretKeys: readonly string[]
}

/** The work for a signature that differs is that of a key with two secrets, whatever the key has. */
function isSigned(text: string, signature: string, { secretKeys, ...scope }: Signer): boolean {
  for (const secretKey of secretKeys) {
    if (isSameText(signingKey({ ...scope, secretKey }).signHex(text), signature)) return true
  }
  for (let tried = secretKeys.length; tried < maxSecretKeys; tried += 1) {
    const [secretKey] = decoy.secretKeys
    isSameText(signingKey({ ...scope, secretKey }).signHex(text), signature)
  }
  return false
}

/** @throws S3Error AccessDenied if the key is not valid now; only a client with its secret learns that. */
function accepted({ form }: SignatureClaim, { identity, refusal }: Credential): Authentication {
  if (refusal === undefined) return { form, identity }
  throw new S3Error('AccessDenied', refusal)
}

function readClaim(request: HttpRequest): SignatureClaim | undefined {
  const { authorization } = request.headers
  const isPresigned = isPresigningAttempt(request.rawQuery)
  if (authorization === undefined) {
    return isPresigned ? readPresignedQuery(request) : undefined
  }
  if (isPresigned) {
    throw new S3Error(
      'AccessDenied',
      'Only one form of authentication is allowed: the Authorization header or query parameters.',
    )
  }
  // node:http shows only the first one; a proxy before the gateway may have used another.
  if (isRepeated(request.rawHeaders, 'authorization')) {
    throw new S3Error('AccessDenied', 'The request has more than one Authorization header.')
  }
  return readAuthorizationHeader(request, authorization)
}

const secretName = /^(?:authorization|cookie|x-amz-security-token|.*-customer-key)$/i

/** Without the values that are secret. A presigned query has header fields as parameters. */
function redacted(reading: CanonicalReading): string {
  return canonicalRequest({
    ...reading,
    query: reading.query
      .split('&')
      .map((pair) => {
        const name = pair.slice(0, pair.indexOf('='))
        return secretName.test(uriDecode(name)) ? `${name}=[redacted]` : pair
      })
      .join('&'),
    signedHeaders: reading.signedHeaders.map(({ name, value }) => ({
      name,
      value: secretName.test(name) ? '[redacted]' : value,
    })),
  })
}
