import type { HttpRequest } from '../../http/message.ts'
import {
  type CanonicalParts,
  canonicalQuery,
  reencodedPath,
  reencodedQuery,
  type SignedHeader,
  signedHeaderValues,
} from './canonical-request.ts'
import type { SignatureClaim } from './signature-claim.ts'

export type CanonicalReading = CanonicalParts

interface Address {
  readonly path: string
  readonly query: string
}

const unsignedPayload = 'UNSIGNED-PAYLOAD' // contract, rule 5: the default
// curl 7.88 --aws-sigv4 signs this, and sends no x-amz-content-sha256.
const emptyPayloadHash = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

/**
 * The canonical request that a signature is over nearly always: exactly as received, with
 * accept-encoding as `identity` (contract, rule 6).
 */
export function likeliestReading(request: HttpRequest, claim: SignatureClaim): CanonicalReading {
  const received = signedHeaderValues(request.rawHeaders, claim.signedHeaders)
  return {
    method: request.method,
    path: request.rawPath,
    query: canonicalQuery(request.rawQuery),
    signedHeaders: withIdentity(received) ?? received,
    payloadHash: claim.payloadHash ?? unsignedPayload,
  }
}

/**
 * The others that it may be over: with accept-encoding as received, the host of the public URL, the
 * payload hash of curl, and the path and query re-encoded as AWS does. Lazy, so that what is not
 * tried is not computed.
 */
export function* otherReadings(
  request: HttpRequest,
  likeliest: CanonicalReading,
  { claim, publicUrl }: { readonly claim: SignatureClaim; readonly publicUrl: string | undefined },
): Generator<CanonicalReading> {
  const received = signedHeaderValues(request.rawHeaders, claim.signedHeaders)
  for (const address of addresses(request, likeliest)) {
    for (const payloadHash of payloadHashes(claim)) {
      for (const signedHeaders of acceptEncodings(received)) {
        const reading = { ...address, method: request.method, payloadHash, signedHeaders }
        yield reading
        const proxied = publicUrl === undefined ? undefined : behindProxy(reading, publicUrl)
        if (proxied !== undefined) yield proxied
      }
    }
  }
}

function* addresses(request: HttpRequest, address: Address): Generator<Address> {
  const { rawPath, rawQuery } = request
  yield { path: address.path, query: address.query }
  const path = reencodedPath(rawPath)
  const query = canonicalQuery(reencodedQuery(rawQuery))
  if (path !== address.path || query !== address.query) yield { path, query }
}

function payloadHashes(claim: SignatureClaim): readonly string[] {
  return claim.payloadHash === undefined ? [unsignedPayload, emptyPayloadHash] : [claim.payloadHash]
}

function* acceptEncodings(received: readonly SignedHeader[]): Generator<readonly SignedHeader[]> {
  const identity = withIdentity(received)
  yield identity ?? received
  // Current Go SDKs sign the value they send, gzip.
  if (identity !== undefined) yield received
}

function withIdentity(received: readonly SignedHeader[]): readonly SignedHeader[] | undefined {
  return withValue(received, 'accept-encoding', 'identity')
}

/** As the client of a proxy saw it that forwards `publicUrl` to us; undefined when that is the same. */
function behindProxy(reading: CanonicalReading, publicUrl: string): CanonicalReading | undefined {
  const { host, pathname } = new URL(publicUrl)
  const prefix = pathname === '/' ? '' : pathname
  const headers = withValue(reading.signedHeaders, 'host', host)
  if (headers === undefined && prefix === '') return undefined
  return {
    ...reading,
    path: prefix + reading.path,
    signedHeaders: headers ?? reading.signedHeaders,
  }
}

/** Undefined when the header is not signed or has that value already. */
function withValue(
  headers: readonly SignedHeader[],
  name: string,
  value: string,
): readonly SignedHeader[] | undefined {
  const index = headers.findIndex((header) => header.name === name)
  return index < 0 || headers[index]?.value === value
    ? undefined
    : headers.with(index, { name, value })
}
