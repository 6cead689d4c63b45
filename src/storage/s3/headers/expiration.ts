import type { HeaderFields } from '../../../platform/http/message.ts'
import { type LifecycleRule, objectExpiry } from '../../buckets/lifecycle-rules.ts'
import type { ObjectMetadata } from '../../drives/drive.ts'
import type { ObjectContext } from '../context.ts'
import { formatHttpDate } from './http-date.ts'

/** An object of a bucket with lifecycle rules. */
export interface ExpiringObject {
  readonly rules: readonly LifecycleRule[]
  readonly key: string
}

/** Undefined if the bucket has no lifecycle rules. */
export function expiringObject({ configuration, key }: ObjectContext): ExpiringObject | undefined {
  const { lifecycle } = configuration
  return lifecycle === undefined ? undefined : { rules: lifecycle, key }
}

/**
 * When the object expires and by which rule (API reference, GetObject: "x-amz-expiration"). Empty if it
 * does not expire.
 */
export function expirationHeaders(
  object: ExpiringObject | undefined,
  { size, modifiedAtMs, attributes }: Pick<ObjectMetadata, 'size' | 'modifiedAtMs' | 'attributes'>,
): HeaderFields {
  if (object === undefined) return []
  const expiry = objectExpiry(object.rules, {
    key: object.key,
    size,
    modifiedAtMs,
    tags: attributes.tags,
  })
  if (expiry === undefined) return []
  const ruleId = encodeURIComponent(expiry.rule.id.toWellFormed())
  const date = formatHttpDate(expiry.atMs)
  return [['x-amz-expiration', `expiry-date="${date}", rule-id="${ruleId}"`]]
}
