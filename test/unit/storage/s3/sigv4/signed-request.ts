import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { HttpRequest } from '../../../../../src/platform/http/message.ts'
import { OwnerKey } from '../../../../../src/storage/access/access-keys.ts'
import { owner } from '../../../../../src/storage/access/authorize.ts'
import { S3Error } from '../../../../../src/storage/s3/errors.ts'
import { authenticate } from '../../../../../src/storage/s3/sigv4/authenticate.ts'
import {
  canonicalQuery,
  canonicalRequest,
  stringToSign,
} from '../../../../../src/storage/s3/sigv4/canonical-request.ts'
import { signedHeaderValues } from '../../../../../src/storage/s3/sigv4/received-headers.ts'
import type { SignatureSettings } from '../../../../../src/storage/s3/sigv4/signature-claim.ts'
import { signingKey } from '../../../../../src/storage/s3/sigv4/signing-key.ts'
import { type FakeRequest, fakeRequest } from '../fake-request.ts'

export const vectors = JSON.parse(
  readFileSync(new URL('../../../../vectors/sigv4.json', import.meta.url), 'utf8'),
)
const ownKeys = { accessKey: String(vectors.accessKey), secretKey: String(vectors.secretKey) }
export const settings = {
  ...ownKeys,
  keys: new OwnerKey(ownKeys),
  region: String(vectors.region),
  regions: [] as readonly string[],
  publicUrl: undefined as string | undefined,
} satisfies SignatureSettings
export const nowMs = Date.UTC(2013, 4, 24)
export const minuteMs = 60_000
export const signedHeader = { form: 'header', identity: owner }
export const signedPresigned = { form: 'presigned', identity: owner }

export type Signable = FakeRequest & {
  readonly headers: Readonly<Record<string, string>>
  /** What the client signs, where it differs from what it sends. */
  readonly signed?: {
    readonly headers?: Readonly<Record<string, string>>
    readonly path?: string
    readonly query?: string
    readonly names?: readonly string[]
    readonly payloadHash?: string
    readonly region?: string
    readonly secretKey?: string
  }
}

export const plain: Signable = {
  target: '/bucket/key',
  headers: { Host: 'localhost:9000', 'x-amz-date': vectors.amzDate },
}

/** A client that may sign something other than what it sends. */
export function sign(request: Signable): HttpRequest {
  const sent = fakeRequest(request)
  const signed = request.signed ?? {}
  const headers = { ...request.headers, ...signed.headers }
  const names =
    signed.names ??
    Object.keys(headers)
      .map((name) => name.toLowerCase())
      .sort()
  const amzDate = headers['x-amz-date'] ?? ''
  const day = amzDate.slice(0, 8)
  const region = signed.region ?? settings.region
  const scope = `${day}/${region}/s3/aws4_request`
  const text = stringToSign(
    canonicalRequest({
      method: sent.method,
      path: signed.path ?? sent.rawPath,
      query: signed.query ?? canonicalQuery(sent.rawQuery),
      signedHeaders: signedHeaderValues(
        { headers: {}, rawHeaders: Object.entries(headers).flat() },
        new Set(names),
      ),
      payloadHash: signed.payloadHash ?? headers['x-amz-content-sha256'] ?? 'UNSIGNED-PAYLOAD',
    }),
    amzDate,
    scope,
  )
  const secretKey = signed.secretKey ?? settings.secretKey
  const signature = signingKey({ secretKey, region, day }).signHex(text)
  const authorization = `AWS4-HMAC-SHA256 Credential=${settings.accessKey}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`
  return fakeRequest({
    ...request,
    headers: { ...request.headers, Authorization: authorization },
  })
}

export function refusal(act: () => unknown): S3Error {
  try {
    act()
  } catch (error) {
    assert.ok(error instanceof S3Error)
    return error
  }
  throw new assert.AssertionError({ message: 'Expected a refusal' })
}

export function assertRefused(request: HttpRequest, message: RegExp, at = nowMs): void {
  const error = refusal(() => authenticate(request, settings, at))
  assert.equal(error.code, 'AccessDenied')
  assert.equal(error.status, 403)
  assert.match(error.message, message)
}
