import type { HttpReply } from '../../http/message.ts'

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
  const { anonymous, bucket } = facts
  return anonymous === true && bucket !== undefined && !allowedBuckets.includes(String(bucket))
}
