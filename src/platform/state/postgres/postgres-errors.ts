import { DatabaseError } from '../database.ts'

/**
 * serialization_failure and deadlock_detected: the transaction was undone and may be retried
 * (https://www.postgresql.org/docs/current/mvcc-serialization-failure-handling.html).
 */
const conflictCodes = new Set(['40001', '40P01'])

/** SQLSTATE classes (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
const sentences: Readonly<Record<string, string>> = {
  '08': 'is not responding',
  '25': 'is read-only or rejects the transaction; is it a standby?',
  '28': 'rejects the user or the password',
  '3D': 'has no database of this name',
  '40': 'kept detecting concurrent changes to the same rows',
  '42': 'rejects the statement; may this user create and alter tables?',
  '53': 'is out of disk space, memory or connections',
  '55': 'has a table that another program keeps locked, such as a backup; try again when it has ended',
  '57': 'is shutting down or took too long',
  '58': 'failed to read or write its files',
  XX: 'reports damage',
}

/** Whether the transaction was undone only because other transactions changed the same rows. */
export function isConflict(error: unknown): boolean {
  return conflictCodes.has(codeOf(error))
}

/** lock_not_available: `lock_timeout` has passed. */
export function isLockTimeout(error: unknown): boolean {
  return codeOf(error) === '55P03'
}

/**
 * Errors after which the connection is closed: it was lost or idle for too long, or the server shuts down or crashed.
 * The severity of an error can't be used, because its language depends on `lc_messages`.
 */
const endingCodes = /^(08|XX|57P0|25P0[34])/

/** Whether the server keeps the connection after this error. */
export function keepsConnection(error: unknown): boolean {
  const code = codeOf(error)
  return code !== '' && !endingCodes.test(code)
}

/** Whether the server or a pooler has reached its connection limit. */
export function isTooManyConnections(error: unknown): boolean {
  return (
    codeOf(error) === '53300' || (isProtocolViolation(error) && /no more conn/.test(`${error}`))
  )
}

/** cannot_connect_now: the server is starting, recovering or stopping. */
export function isNotReady(error: unknown): boolean {
  return codeOf(error) === '57P03'
}

/** Whether a pooler refuses the connection's settings. */
export function isUnknownSetting(error: unknown): boolean {
  return isProtocolViolation(error) && /unsupported startup parameter/.test(`${error}`)
}

/** protocol_violation: PgBouncer's answer to a connection that it refuses. */
function isProtocolViolation(error: unknown): boolean {
  return codeOf(error) === '08P01'
}

/**
 * Any error of the driver → DatabaseError. Returns our own errors unchanged.
 *
 * @param name the database as users see it, without a password
 */
export function toPostgresError(error: unknown, name: string): DatabaseError {
  if (error instanceof DatabaseError) return error
  // The driver's own errors (refused, reset, timed out) have no SQLSTATE.
  const sentence = sentences[sqlStateClass(error)] ?? 'is not responding'
  const detail = error instanceof Error ? error.message : String(error)
  return new DatabaseError(`the database ${name} ${sentence} (${detail})`, { cause: error })
}

function sqlStateClass(error: unknown): string {
  const code = codeOf(error)
  if (!/^[0-9A-Z]{5}$/.test(code)) return ''
  const known = code.slice(0, 2)
  // The server rejects the statement: constraints, values out of range and the like.
  return known in sentences ? known : '42'
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null | undefined)?.code
  return typeof code === 'string' ? code : ''
}
