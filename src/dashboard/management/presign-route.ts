import { ApiError, jsonPath } from '../../platform/json-api/api-error.ts'
import { type Route, route } from '../../platform/json-api/route.ts'
import { isLegalKey } from '../../storage/drives/kit/names/key-path.ts'
import type { ManagementApiParts } from './management-parts.ts'
import { presignBody, presignReply } from './management-schemas.ts'
import { assertBucket, originOfRequest, timeOf } from './route-checks.ts'

/** Parameters of the signature itself, Version 4 or 2, which clients may not set. */
const ofSignature =
  /^(?:x-amz-(?:algorithm|content-sha256|credential|date|expires|security-token|signature|signedheaders)|signature|awsaccesskeyid|expires)$/i

/**
 * Servers and proxies accept URLs of 8 KiB; an encoded key can take three times its 1,024 bytes.
 */
const maxQueryLength = 4_096

/** A presigned URL allows its holder one kind of request, so the browser never receives credentials. */
export function presignRoute(parts: ManagementApiParts): Route {
  return route({
    method: 'POST',
    path: '/presign',
    operationId: 'presign',
    summary: 'Creates a presigned URL',
    description:
      'The URL allows one kind of request until it expires. Pass the `x-amz-*` header fields ' +
      'of the request as query parameters.',
    body: presignBody,
    reply: presignReply,
    async answer({ request, body: { method, bucket, key, query = {}, expiresSeconds } }) {
      assertBucket(parts.buckets, bucket)
      assertKey(key)
      assertQuery(query)
      // Signatures have a resolution of one second.
      const nowMs = Math.floor(parts.now() / 1_000) * 1_000
      const url = parts.presign({
        ...{ method, query, expiresSeconds, nowMs },
        origin: originOfRequest(parts, request),
        path: key === undefined ? `/${bucket}` : `/${bucket}/${key}`,
      })
      return { url, expiresAt: timeOf(nowMs + expiresSeconds * 1_000) }
    },
  })
}

function assertKey(key: string | undefined): void {
  if (key === undefined || isLegalKey(key)) return
  throw new ApiError(400, 'Expected a key of 1 to 1,024 bytes of UTF-8.', { field: 'key' })
}

function assertQuery(query: Readonly<Record<string, string>>): void {
  let length = 0
  for (const [name, value] of Object.entries(query)) {
    const field = jsonPath(['query', name])
    if (name === '' || !name.isWellFormed() || !value.isWellFormed()) {
      throw new ApiError(400, 'Expected a parameter with a name, in valid Unicode.', { field })
    }
    if (ofSignature.test(name)) {
      throw new ApiError(400, 'Signature parameters are set by the server.', { field })
    }
    length += encodeURIComponent(name).length + encodeURIComponent(value).length
    if (length > maxQueryLength) {
      throw new ApiError(400, `The query is limited to ${maxQueryLength} characters.`, { field })
    }
  }
}
