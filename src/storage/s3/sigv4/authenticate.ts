/**
 * Signature Version 4, header and presigned form (docs/contract/object-storage.md, "Authentication"). The signed bytes
 * are not always the received ones: proxies rewrite Host and Accept-Encoding, and clients escape a path one way and sign
 * it another. If a signature does not match the request as received, a few other readings are tried.
 */

import type { HttpRequest } from '../../../platform/http/message.ts'
import type { Credential } from '../../access/access-keys.ts'
import { anonymous, type Identity } from '../../access/authorize.ts'
import { checkedBody, type SignedBody } from '../body/signed-body.ts'
import { S3Error } from '../errors.ts'
import { readAuthorizationHeader } from './authorization-header.ts'
import {
  type CanonicalParts,
  canonicalRequest,
  likeliestReading,
  otherReadings,
  stringToSign,
} from './canonical-request.ts'
import { checkCredential, checkSignedHeaders, checkTime } from './claim-checks.ts'
import { isPresigningAttempt, readPresignedQuery } from './presigned-query.ts'
import { checkRepeatedHeaders, isRepeated, signedHeaderValues } from './received-headers.ts'
import type { SignatureClaim, SignatureSettings } from './signature-claim.ts'
import { redactedRequest, type SignatureMismatch, signatureMismatch } from './signature-mismatch.ts'
import { decoy, matchSecret, signingKey } from './signing-key.ts'
import { isVersionTwo, verifyVersionTwo } from './version-two.ts'

export interface Authentication {
  /**
   * How the request is authenticated: by a signature, the signed policy of a form, a session of the dashboard, or the
   * gateway itself (`internal`). `unsigned`: not at all.
   */
  readonly form:
    | SignatureClaim['form']
    | 'version-two'
    | 'policy'
    | 'session'
    | 'internal'
    | 'unsigned'
  readonly identity: Identity
  /** What has to be verified when the body is read. */
  readonly body?: SignedBody
}

const unsigned: Authentication = { form: 'unsigned', identity: anonymous }

/**
 * Verifies the signature of a request, if it has one.
 *
 * @param nowMs milliseconds since the epoch
 * @param onMismatch called before a signature that does not match is refused; its details are as long as the request
 * @throws S3Error RequestTimeTooSkewed for a wrong clock, AccessDenied for every other failure
 */
export function authenticate(
  request: HttpRequest,
  settings: SignatureSettings,
  nowMs: number,
  onMismatch?: (details: SignatureMismatch) => void,
): Authentication {
  refuseTwoSignatures(request)
  if (settings.versionTwo && isVersionTwo(request)) {
    const credential = verifyVersionTwo(request, settings, nowMs, onMismatch)
    const authentication = accepted('version-two', credential)
    if (!settings.signedBodies) return authentication
    const payloadHash = request.headers['x-amz-content-sha256']?.toString() || undefined
    return { ...authentication, body: checkedBody({ payloadHash }) }
  }
  const claim = readClaim(request, settings)
  if (claim === undefined) return unsigned
  checkTime(claim, nowMs)
  const { scope, accessKeyId, region: signedRegion } = checkCredential(claim, settings)
  const known = settings.keys.find(accessKeyId)
  const credential = known ?? decoy
  checkSignedHeaders(claim, request)
  const signedHeaders = signedHeaderValues(request, claim.signedHeaders)
  checkRepeatedHeaders(request.headers, signedHeaders)
  const { region, publicUrl } = settings
  const signer = { region: signedRegion, day: claim.amzDate.slice(0, 8) }
  const isForeign = signedRegion !== region
  const textOf = (reading: CanonicalParts) =>
    stringToSign(canonicalRequest(reading), claim.amzDate, scope)
  const matchOf = (reading: CanonicalParts) => {
    const text = textOf(reading)
    return matchSecret(credential.secretKeys, claim.signature, (secretKey) => {
      const key = signingKey({ ...signer, secretKey }, isForeign)
      return { key, signature: key.signHex(text) }
    })
  }
  const source = { request, claim, signedHeaders, publicUrl }
  const likeliest = likeliestReading(source)
  const match = matchOf(likeliest) ?? firstOf(otherReadings(source), matchOf)
  if (match !== undefined) {
    const authentication = accepted(claim.form, credential)
    if (!settings.signedBodies) return authentication
    const { payloadHash, signature, amzDate } = claim
    const seed = { key: match.key, amzDate, scope, signature }
    return { ...authentication, body: checkedBody({ payloadHash, seed }) }
  }
  const details = (): SignatureMismatch => ({
    canonicalRequest: redactedRequest(likeliest),
    stringToSign: textOf(likeliest),
  })
  onMismatch?.(details())
  throw signatureMismatch({
    ...{ request, accessKeyId, isKnownKey: known !== undefined },
    ...{ signature: claim.signature, publicUrl, details },
  })
}

/** The first result that is not undefined. */
function firstOf<Item, Result>(
  items: Iterable<Item>,
  resultOf: (item: Item) => Result | undefined,
): Result | undefined {
  for (const item of items) {
    const result = resultOf(item)
    if (result !== undefined) return result
  }
  return undefined
}

/** @throws S3Error AccessDenied if the key is not valid now, which only a client with its secret learns */
export function accepted(
  form: Authentication['form'],
  { identity, refusal }: Credential,
): Authentication {
  if (refusal === undefined) return { form, identity }
  throw new S3Error('AccessDenied', refusal)
}

/** @throws S3Error AccessDenied for a second signature, because other readers may see another one */
export function refuseTwoSignatures({ headers, rawHeaders, rawQuery }: HttpRequest): void {
  if (headers.authorization === undefined) return
  if (isPresigningAttempt(rawQuery)) {
    throw new S3Error(
      'AccessDenied',
      'Only one form of authentication is allowed: the Authorization header or query parameters.',
      { inAws: { code: 'InvalidArgument' } },
    )
  }
  // node:http returns only the first header; a proxy may have used another one.
  if (isRepeated(rawHeaders, 'authorization')) {
    throw new S3Error('AccessDenied', 'The request has more than one Authorization header.')
  }
}

function readClaim(
  request: HttpRequest,
  settings: Pick<SignatureSettings, 'dateHeaders'>,
): SignatureClaim | undefined {
  const { authorization } = request.headers
  if (authorization !== undefined) return readAuthorizationHeader(request, authorization, settings)
  return isPresigningAttempt(request.rawQuery) ? readPresignedQuery(request) : undefined
}
