import type { IncomingHttpHeaders } from 'node:http'
import type { HeaderFields } from '../../../platform/http/message.ts'
import { isAuthorized } from '../../access/authorize.ts'
import { retentionFrom } from '../../buckets/default-retention.ts'
import type { Attributes, LockRules, Retention } from '../../drives/attributes.ts'
import type { BucketContext, ObjectContext } from '../context.ts'
import { invalidArgument, S3Error } from '../errors.ts'
import { parseIsoTime } from './dates.ts'

const modeField = 'x-amz-object-lock-mode'
const untilField = 'x-amz-object-lock-retain-until-date'
const holdField = 'x-amz-object-lock-legal-hold'
const bypassField = 'x-amz-bypass-governance-retention'

export const lockFields: ReadonlySet<string> = new Set([modeField, untilField, holdField])

type LockAttributes = Pick<Attributes, 'retention' | 'legalHold'>

/**
 * The retention and the legal hold of a version that a request writes. What it does not request is the default of the
 * bucket, from the arrival of the request (User Guide, "Object Lock", "Default retention").
 *
 * @throws S3Error InvalidArgument
 */
export async function lockAttributes(context: ObjectContext): Promise<LockAttributes> {
  const sent = await sentLockAttributes(context)
  return sent.retention === undefined ? { ...(await defaultRetention(context)), ...sent } : sent
}

/** As `lockAttributes`, without the default. Empty in a bucket without Object Lock. */
export async function sentLockAttributes(context: ObjectContext): Promise<LockAttributes> {
  const { request, configuration } = context
  if (configuration.objectLock === undefined) return {}
  const { headers } = request
  const retention = retentionOf(headers)
  const legalHold = legalHoldOf(headers)
  if (retention !== undefined) await assertInFuture(context, retention, untilField)
  return { ...(retention && { retention }), ...(legalHold !== undefined && { legalHold }) }
}

export async function defaultRetention({
  service,
  configuration,
}: ObjectContext): Promise<Pick<Attributes, 'retention'>> {
  const period = configuration.objectLock?.defaultRetention
  if (period === undefined) return {}
  const { startMs } = await service.lockTime()
  return { retention: retentionFrom(period, startMs) }
}

/** @param name of the header or element. @throws S3Error InvalidArgument */
export async function assertInFuture(
  { service }: BucketContext,
  { untilMs }: Retention,
  name: string,
): Promise<void> {
  const { startMs } = await service.lockTime()
  if (untilMs > startMs) return
  const message = 'The retain until date must be in the future!'
  throw invalidArgument(name, new Date(untilMs).toISOString(), message)
}

function retentionOf(headers: IncomingHttpHeaders): Retention | undefined {
  const { [modeField]: mode, [untilField]: until } = headers
  if (mode === undefined && until === undefined) return undefined
  if (mode === undefined || until === undefined) {
    const message = `${untilField} and ${modeField} must both be supplied`
    throw invalidArgument(mode === undefined ? modeField : untilField, '', message)
  }
  if (mode !== 'GOVERNANCE' && mode !== 'COMPLIANCE') {
    throw invalidArgument(modeField, String(mode), 'Unknown wormMode directive.')
  }
  const untilMs = parseIsoTime(String(until))
  if (untilMs !== undefined) return { mode, untilMs }
  const message = 'The retain until date must be provided in ISO 8601 format'
  throw invalidArgument(untilField, String(until), message)
}

function legalHoldOf({ [holdField]: hold }: IncomingHttpHeaders): boolean | undefined {
  if (hold === undefined) return undefined
  if (hold === 'ON' || hold === 'OFF') return hold === 'ON'
  throw invalidArgument(holdField, String(hold), "Legal Hold must be either of 'ON' or 'OFF'")
}

/** The header fields of a version. The caller checks that its sender may see them. */
export function lockReply({ retention, legalHold }: LockAttributes): HeaderFields {
  const fields: (readonly [string, string])[] = []
  if (retention !== undefined) {
    const { mode, untilMs } = retention
    fields.push([modeField, mode], [untilField, new Date(untilMs).toISOString()])
  }
  // Not if the version has never had a legal hold (API reference, HeadObject).
  if (legalHold !== undefined) fields.push([holdField, legalHold ? 'ON' : 'OFF'])
  return fields
}

/**
 * What a request may remove or shorten. Empty in a bucket without Object Lock, in which a drive then spares every version
 * that has a retention all the same.
 *
 * @throws S3Error AccessDenied for a bypass without the right to it
 */
export async function lockRules(
  context: BucketContext,
  key: string,
): Promise<{ readonly lock?: LockRules }> {
  const { service, configuration } = context
  if (configuration.objectLock === undefined) return {}
  const bypassesGovernance = bypasses(context, key)
  const { endedMs } = await service.lockTime()
  return { lock: { nowMs: endedMs, bypassesGovernance } }
}

function bypasses({ request, identity, bucket }: BucketContext, key: string): boolean {
  const value = String(request.headers[bypassField] ?? 'false').toLowerCase()
  if (value === 'false') return false
  if (value !== 'true') throw invalidArgument(bypassField, value, 'Expected true or false.')
  if (isAuthorized(identity, { action: 'bypass', bucket, key, isPublic: false })) return true
  const message = `Access Denied: ${bypassField} requires the right to bypass the mode GOVERNANCE.`
  throw new S3Error('AccessDenied', message)
}
