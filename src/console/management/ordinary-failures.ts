import type { HttpReply, HttpRequest } from '../../http/message.ts'

export interface AnsweredRequest {
  readonly status: number
  readonly facts: HttpReply['facts']
}

/**
 * Statuses of questions whose answer is no: clients look for objects that are not there, read
 * behind the end and write on conditions all the time.
 */
const ordinaryStatuses: ReadonlySet<number> = new Set([404, 412, 416])

/** An upload that is gone is no answer that a client hopes for. */
const tellingCodes: ReadonlySet<string> = new Set(['NoSuchUpload'])

/**
 * Outside of any operation these are connections that came to nothing: one that a browser opened in
 * advance, or that ended within its header section.
 */
const idleCodes: ReadonlySet<string> = new Set(['RequestTimeout', 'IncompleteBody'])

/** 401 elsewhere is a session that is over, which the dashboard finds out by asking. */
const login = 'login'

/** What the dashboard adds to the query of its requests to S3 (web/src/api/client.ts). S3 ignores it. */
const ownMark = 'x-id=Dashboard'

/**
 * Whether a request is the dashboard's own, which shows what fails by itself. The mark counts only
 * in a request that is signed: S3 has named its operation by then.
 */
export function isOwnRequest(
  { rawPath, rawQuery }: Pick<HttpRequest, 'rawPath' | 'rawQuery'>,
  facts: HttpReply['facts'] = {},
): boolean {
  if (facts.operation === login) return false
  if (/^\/(?:-\/(?!healthz)|auth\/)/.test(rawPath)) return true
  const isSigned = facts.operation !== undefined && facts.anonymous !== true
  return isSigned && rawQuery.split('&').includes(ownMark)
}

/**
 * Whether a failure is part of normal life, so that it would only hide those that a person looks
 * for (docs/management-api.md).
 */
export function isOrdinaryFailure(
  { status, facts = {} }: AnsweredRequest,
  allowedBuckets: readonly string[],
): boolean {
  if (status === 401) return facts.operation !== login
  if (idleCodes.has(String(facts.code))) return facts.operation === undefined
  if (ordinaryStatuses.has(status)) return !tellingCodes.has(String(facts.code))
  // Anybody may knock: scanners, and browsers that ask for /favicon.ico.
  const { anonymous, bucket, virtualHost } = facts
  if (virtualHost === true) return false
  return anonymous === true && bucket !== undefined && !allowedBuckets.includes(String(bucket))
}
