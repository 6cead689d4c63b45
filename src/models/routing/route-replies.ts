import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../../json-api/api-error.ts'

/** Adds the revision to every response with a state. */
export function tagReply(reply: FastifyReply, revision: number): void {
  reply.header('etag', `"${revision}"`)
}

/**
 * The revision that If-Match requires; undefined: any (RFC 9110 section 13.1.1).
 *
 * @throws ApiError 412 if the value cannot be a revision.
 */
export function expectedRevision({ headers }: FastifyRequest): number | undefined {
  const given = headers['if-match']
  if (given === undefined || given === '*') return undefined
  const [, digits] = /^"(\d{1,15})"$/.exec(given) ?? []
  if (digits !== undefined) return Number(digits)
  throw new ApiError(412, 'Expected an ETag that this API returned.', { field: 'if-match' })
}
