import type { HttpRequest } from '../../http/message.ts'
import {
  type CanonicalParts,
  canonicalQuery,
  reencodedQuery,
  type SignedHeader,
} from './canonical-request.ts'
import type { SignatureClaim } from './signature-claim.ts'
import { uriReencodePath } from './uri-encode.ts'

export type CanonicalReading = CanonicalParts

/** What the readings of a request are built from. */
interface ReadingSource {
  readonly request: HttpRequest
  readonly claim: SignatureClaim
  /** As received, see received-headers.ts. */
  readonly signedHeaders: readonly SignedHeader[]
  readonly publicUrl: string | undefined
}

// The default: docs/contract/object-storage.md, "Canonical request".
const unsignedPayload = 'UNSIGNED-PAYLOAD'
const emptyPayloadHash = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

/** Characters. No object has a longer path, and no operation a longer query. */
const maxReencodedPath = 4 * 1024
const maxReencodedQuery = 16 * 1024

/**
 * The canonical requests that a signature is verified against, the likeliest first. Each is built
 * only if the one before did not match. What each is for, and which client needs it, is in
 * docs/decisions/0009-signatures-in-other-readings.md.
 */
export function* readings(source: ReadingSource): Generator<CanonicalReading> {
  const address = publicAddress(source.publicUrl)
  for (const received of readingsAsReceived(source)) {
    for (const reading of encodingReadings(received)) {
      if (address === undefined) yield reading
      else yield* addressReadings(reading, address)
    }
  }
}

/** A signed accept-encoding as `identity` or as received (docs/contract/object-storage.md, "Signed accept-encoding"). */
function encodingReadings(reading: CanonicalReading): readonly CanonicalReading[] {
  const identity = withValue(reading.signedHeaders, 'accept-encoding', 'identity')
  return identity === undefined ? [reading] : [{ ...reading, signedHeaders: identity }, reading]
}

/** With the host and path as received, or as the client of a proxy signed them. */
function* addressReadings(
  reading: CanonicalReading,
  address: PublicAddress,
): Generator<CanonicalReading> {
  const received = hostOf(reading.signedHeaders)
  const isPublicHost = address.isHost(received)
  // The host is signed, so a client that signed the host of PUBLIC_URL signed its path too. If
  // the path were left out, a URL of the object k in the bucket b at https://host/prefix would
  // also open the object b/k in a bucket named prefix.
  if (!isPublicHost || address.prefix === '') yield reading
  // A proxy may write the host of PUBLIC_URL in another case or with its default port.
  if (received !== address.host || address.prefix !== '') yield behindProxy(reading, address)
}

/** No client needs two of the others at once, so they are not combined. */
function* readingsAsReceived({
  request,
  claim,
  signedHeaders,
}: ReadingSource): Generator<CanonicalReading> {
  const { method, rawPath, rawQuery } = request
  const folded = withFoldedTabs(signedHeaders)
  const usual: CanonicalReading = {
    ...{ method, path: rawPath, query: canonicalQuery(rawQuery), signedHeaders: folded },
    payloadHash: claim.payloadHash ?? unsignedPayload,
  }
  yield usual
  if (folded !== signedHeaders) yield { ...usual, signedHeaders }
  const isWithoutHash = claim.form === 'header' && claim.payloadHash === undefined
  if (isWithoutHash) yield { ...usual, payloadHash: emptyPayloadHash }
  if (rawPath.length > maxReencodedPath || rawQuery.length > maxReencodedQuery) return
  const path = reencodedPath(rawPath)
  const query = canonicalQuery(reencodedQuery(rawQuery))
  if (path !== usual.path || query !== usual.query) yield { ...usual, path, query }
}

/** A path as AWS encodes it; as it is if no object has one so long. */
export function reencodedPath(rawPath: string): string {
  return rawPath.length > maxReencodedPath ? rawPath : uriReencodePath(rawPath)
}

/** As signed by a client of the proxy that forwards PUBLIC_URL to this gateway. */
function behindProxy(reading: CanonicalReading, { host, prefix }: PublicAddress): CanonicalReading {
  return {
    ...reading,
    path: prefix + reading.path,
    signedHeaders: withValue(reading.signedHeaders, 'host', host) ?? reading.signedHeaders,
  }
}

/**
 * With every run of spaces and tabs as one space, as most SDKs sign it: AWS says "spaces", they use
 * the white space of their language. The same array when there is no tab.
 */
function withFoldedTabs(headers: readonly SignedHeader[]): readonly SignedHeader[] {
  if (!headers.some(({ value }) => value.includes('\t'))) return headers
  return headers.map(({ name, value }) => ({ name, value: value.replace(/[ \t]+/g, ' ') }))
}

function hostOf(headers: readonly SignedHeader[]): string {
  return headers.find(({ name }) => name === 'host')?.value ?? ''
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

/** The address of the gateway behind a proxy: the parts of PUBLIC_URL that clients sign. */
interface PublicAddress {
  /** Value of the Host header that clients sign. */
  readonly host: string
  /** What the proxy removes from the path; empty when it removes nothing. */
  readonly prefix: string
  /** Whether a value of the Host header is that of PUBLIC_URL, with or without the default port. */
  isHost(value: string): boolean
}

const defaultPorts: Readonly<Record<string, string>> = { 'http:': ':80', 'https:': ':443' }

let last: { readonly url: string; readonly address: PublicAddress } | undefined

/** Undefined without a PUBLIC_URL. */
export function publicAddress(url: string | undefined): PublicAddress | undefined {
  if (url === undefined) return undefined
  if (last?.url !== url) last = { url, address: read(url) }
  return last.address
}

function read(url: string): PublicAddress {
  const { protocol, host, pathname, port } = new URL(url)
  const withPort = port === '' ? host + (defaultPorts[protocol] ?? '') : host
  return {
    host,
    prefix: pathname === '/' ? '' : pathname,
    isHost: (value) => {
      const received = value.toLowerCase()
      return received === host || received === withPort
    },
  }
}
