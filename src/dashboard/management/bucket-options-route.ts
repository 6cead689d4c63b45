import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { ApiError } from '../../platform/json-api/api-error.ts'
import { type Route, route } from '../../platform/json-api/route.ts'
import type { BucketOptionsChange } from '../../storage/buckets/bucket-options.ts'
import { type CorsRule, rulesForOrigins } from '../../storage/buckets/cors-rules.ts'
import type { LifecycleRule } from '../../storage/buckets/lifecycle-rules.ts'
import type { WrittenRule } from '../../storage/buckets/notification-rules.ts'
import type { Website } from '../../storage/buckets/website.ts'
import { DriveError } from '../../storage/drives/drive-error.ts'
import type {
  CorsRuleReply,
  ExpiryRule,
  NotificationRuleReply,
  WebsiteReply,
} from './bucket-option-schemas.ts'
import { refuse } from './bucket-routes.ts'
import { describeBuckets } from './bucket-status.ts'
import type { ManagementApiParts } from './management-parts.ts'
import {
  bucketChange,
  bucketStatus,
  expiryDryRunBody,
  expiryDryRunReply,
} from './management-schemas.ts'
import { driveUnavailable, noBucket, timeOf } from './route-checks.ts'

/** Changes the options of a bucket, and previews what expiry rules would remove. */
export function bucketOptionsRoutes(parts: ManagementApiParts): readonly Route[] {
  return [changeRoute(parts), expiryDryRunRoute(parts)]
}

function changeRoute(parts: ManagementApiParts): Route {
  const { buckets, bucketOptions, publicReadBuckets } = parts
  return route({
    method: 'PATCH',
    path: '/buckets/{bucket}',
    operationId: 'changeBucket',
    summary: 'Changes the options of a bucket',
    description: 'Absent fields do not change.',
    params: z.object({ bucket: z.string() }),
    body: bucketChange,
    reply: bucketStatus,
    async answer({ params: { bucket }, body }) {
      if (buckets.find(bucket) === undefined) throw noBucket()
      const isFromSettings = publicReadBuckets.includes(bucket)
      if (body.isPublic === false && isFromSettings) {
        const message =
          'PUBLIC_READ_BUCKETS makes this bucket public: change it there and restart the gateway.'
        throw new ApiError(409, message, { field: 'isPublic' })
      }
      refuseDocuments(parts, bucket, body)
      const change = {
        ...optionsChange(isFromSettings ? { ...body, isPublic: undefined } : body),
        ...documentsChange(body, buckets.find(bucket)?.notification ?? [], parts),
      }
      await changeVersioning(parts, bucket, body)
      if (Object.keys(change).length > 0) await bucketOptions.change(bucket, change)
      // The bucket may have been removed in the meantime.
      const configuration = buckets.find(bucket)
      if (configuration === undefined) throw noBucket()
      const [status] = await describeBuckets(parts, [configuration])
      if (status === undefined) throw noBucket()
      return status
    },
  })
}

type Change = z.output<typeof bucketChange>

/** What would have no effect is not stored. */
function refuseDocuments(
  { keepsDocuments, websiteHostOf }: ManagementApiParts,
  bucket: string,
  { tags, notifications, website }: Change,
): void {
  if (website && websiteHostOf(bucket) === undefined) {
    const message = 'Buckets have websites only with WEBSITE_DOMAINS, which is set at startup.'
    throw new ApiError(409, message, { field: 'website' })
  }
  if (keepsDocuments || (tags ?? notifications) === undefined) return
  const field = tags === undefined ? 'notifications' : 'tags'
  throw new ApiError(409, 'Buckets have tags and rules of events only with COMPATIBILITY=aws.', {
    field,
  })
}

/**
 * @param before the rules of the bucket: one that does not change stays as its client wrote it
 * @throws ApiError 400 for a new rule with a target that the gateway does not have, as PutBucketNotificationConfiguration
 */
function documentsChange(
  { tags, notifications }: Change,
  before: readonly WrittenRule[],
  { region, eventTargets }: ManagementApiParts,
): BucketOptionsChange {
  const written = (rule: NotificationRuleReply): WrittenRule => {
    const same = before.find(({ kind: _, arn: _arn, filters: _filters, ...other }) =>
      isDeepStrictEqual(other, rule),
    )
    if (same !== undefined) return same
    if (!eventTargets.includes(rule.target)) {
      const setting = rule.target === 'webhook' ? 'NOTIFY_WEBHOOK' : 'NOTIFY_REDIS'
      const message = `The gateway has no receiver ${rule.target}: set ${setting} at startup.`
      throw new ApiError(400, message, { field: 'notifications' })
    }
    const filters = [
      { name: 'Prefix', value: rule.prefix },
      { name: 'Suffix', value: rule.suffix },
    ].filter(({ value }) => value !== '')
    const arn = `arn:aws:sqs:${region}:000000000000:${rule.target}`
    return { ...rule, events: [...new Set(rule.events)], kind: 'Queue', arn, filters }
  }
  return {
    ...(tags !== undefined && { tags: Object.keys(tags).length === 0 ? null : tags }),
    ...(notifications !== undefined && {
      notification: notifications.length === 0 ? null : notifications.map(written),
    }),
  }
}

async function changeVersioning(
  { versioning }: ManagementApiParts,
  bucket: string,
  { versioning: wanted }: Change,
): Promise<void> {
  if (wanted === undefined) return
  await versioning.change(bucket, wanted === 'enabled' ? 'Enabled' : 'Suspended').catch(refuse)
}

function expiryDryRunRoute({ buckets, placeOf, dryRunExpiry }: ManagementApiParts): Route {
  return route({
    method: 'POST',
    path: '/buckets/{bucket}/expiry/dry-run',
    operationId: 'dryRunExpiry',
    summary: 'Counts the objects that expiry rules would remove now',
    description:
      'Changes nothing. It counts what would be removed if `changeBucket` set these rules now. ' +
      'Open uploads are not counted, and rules with tags count every object that may have these tags. ' +
      'After about 10 seconds it returns the figures so far, and `next`.',
    params: z.object({ bucket: z.string() }),
    body: expiryDryRunBody,
    reply: expiryDryRunReply,
    async answer({ params: { bucket }, body: { expiry, after }, request: { signal } }) {
      if (buckets.find(bucket) === undefined) throw noBucket()
      // Rules remove nothing from a read-only bucket.
      const rules = placeOf(bucket).isReadOnly ? [] : expiry.map(lifecycleRuleOf)
      try {
        const found = await dryRunExpiry({ bucket, rules, after, signal })
        const { oldestMs, next = null, ...figures } = found
        return { ...figures, oldest: oldestMs === undefined ? null : timeOf(oldestMs), next }
      } catch (error) {
        throw error instanceof DriveError ? driveUnavailable(error) : error
      }
    },
  })
}

function optionsChange(body: Change) {
  const { isPublic, allowedOrigins, cors, expiry, quotaBytes, website } = body
  const change: BucketOptionsChange = {
    // A policy is another way to make the bucket public, so a change here replaces it. Opening the bucket also lifts
    // its public access block.
    ...(isPublic !== undefined && { isPublic: isPublic || null, policy: null }),
    ...(isPublic && { publicAccessBlock: null }),
    ...(allowedOrigins !== undefined && {
      cors: allowedOrigins === null ? null : rulesForOrigins(allowedOrigins),
    }),
    ...(cors !== undefined && { cors: cors?.map(corsRuleOf) ?? null }),
    ...(expiry !== undefined && {
      lifecycle: expiry.length === 0 ? null : expiry.map(lifecycleRuleOf),
    }),
    ...(quotaBytes !== undefined && { quotaBytes }),
    ...(website !== undefined && { website: website && websiteOf(website) }),
  }
  return change
}

function websiteOf(given: WebsiteReply): Website {
  // JSON has no undefined values.
  if ('redirectAllTo' in given) return given as Website
  const { rules = [], ...documents } = given
  return {
    ...documents,
    ...(rules.length > 0 && { rules: rules.map((rule) => ({ code: 301, ...rule })) }),
  } as Website
}

function corsRuleOf({ id, maxAgeSeconds, ...rule }: CorsRuleReply): CorsRule {
  return {
    ...rule,
    ...(id !== undefined && { id }),
    ...(maxAgeSeconds !== undefined && { maxAgeSeconds }),
  }
}

function lifecycleRuleOf(rule: ExpiryRule): LifecycleRule {
  const { id, prefix, isEnabled, days, date, abortUploadsDays, tags = {} } = rule
  const { largerThan, smallerThan, noncurrentDays, newerNoncurrentVersions, expiresMarkers } = rule
  const hasTags = Object.keys(tags).length > 0
  const hasMore = hasTags || (largerThan ?? smallerThan) !== undefined
  return {
    ...{ id, prefix, isEnabled, prefixForm: hasMore ? ('and' as const) : ('filter' as const) },
    ...(hasTags && { tags }),
    ...(largerThan !== undefined && { largerThan }),
    ...(smallerThan !== undefined && { smallerThan }),
    ...(days !== null && { days }),
    ...(date !== null && { dateMs: Date.parse(`${date}T00:00:00Z`) }),
    ...(abortUploadsDays !== null && { abortUploadsDays }),
    ...(noncurrentDays !== undefined && { noncurrentDays }),
    ...(newerNoncurrentVersions !== undefined && { newerNoncurrentVersions }),
    ...(expiresMarkers !== undefined && { expiresMarkers }),
  }
}
