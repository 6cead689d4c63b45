import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../../json-api/api-error.ts'

/** Every answer that shows a state says which one. */
export function tagReply(reply: FastifyReply, revision: number): void {
  reply.header('etag', `"${revision}"`)
}

/**
 * The revision that If-Match allows to change; undefined: any (RFC 9110 section 13.1.1).
 *
 * @throws ApiError 412 when no revision can be meant.
 */
export function expectedRevision({ headers }: FastifyRequest): number | undefined {
  const given = headers['if-match']
  if (given === undefined || given === '*') return undefined
  const [, digits] = /^"(\d{1,15})"$/.exec(given) ?? []
  if (digits !== undefined) return Number(digits)
  throw new ApiError(412, 'Expected an ETag that this API returned.', { field: 'if-match' })
}
