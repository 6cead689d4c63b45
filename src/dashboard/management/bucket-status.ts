import { versioningOf } from '../../storage/buckets/bucket-options.ts'
import type { PolicyAction } from '../../storage/buckets/bucket-policy.ts'
import type { BucketConfiguration } from '../../storage/buckets/buckets.ts'
import { type CorsRule, originsOf } from '../../storage/buckets/cors-rules.ts'
import type { LifecycleRule } from '../../storage/buckets/lifecycle-rules.ts'
import { isEnabled } from '../../storage/drives/versions.ts'
import type { BucketCount } from '../../storage/jobs/bucket-counts.ts'
import type { ExpiryRun } from '../../storage/jobs/expiry/expiry.ts'
import type { ExpiryRule, WebsiteReply } from './bucket-option-schemas.ts'
import type { ManagementApiParts } from './management-parts.ts'
import type { BucketStatus, ExpiryRunStatus } from './management-schemas.ts'
import { timeOf, timeOrNull } from './route-checks.ts'

const unknownCount: BucketCount = { figures: undefined, isCounting: false, problem: undefined }

type Parts = Pick<
  ManagementApiParts,
  | 'counter'
  | 'bucketCreatedAtMs'
  | 'expiryRuns'
  | 'publicReadBuckets'
  | 'placeOf'
  | 'versioning'
  | 'keepsDocuments'
  | 'websiteHostOf'
>

/** @throws DatabaseError */
export async function describeBuckets(
  parts: Parts,
  buckets: readonly BucketConfiguration[],
): Promise<BucketStatus[]> {
  const { counter, bucketCreatedAtMs, expiryRuns, publicReadBuckets, placeOf, versioning } = parts
  const names = buckets.map(({ name }) => name)
  const [counts, createdAt, runs] = await Promise.all([
    counter.read(names),
    Promise.all(buckets.map(({ name, madeAtMs }) => madeAtMs ?? bucketCreatedAtMs(name))),
    expiryRuns(),
  ])
  const runOf = new Map(runs.map((run) => [run.bucket, run]))
  return buckets.map((bucket, index) => ({
    name: bucket.name,
    source: bucket.madeAtMs === undefined ? ('environment' as const) : ('created' as const),
    isPublic: bucket.isPublic,
    openByPolicy: openByPolicy(bucket),
    ...placeOf(bucket.name),
    isPublicFromEnvironment: publicReadBuckets.includes(bucket.name),
    createdAt: timeOrNull(createdAt[index]),
    ...figuresOf(counts.get(bucket.name) ?? unknownCount),
    formerVersions: counts.get(bucket.name)?.figures?.formerVersions ?? null,
    versioning: stateOf(bucket),
    versionsRefusal: versioning.refusal(bucket.name) ?? null,
    hasObjectLock: bucket.objectLock !== undefined,
    ...optionsOf(bucket),
    ...(parts.keepsDocuments ? documentsOf(bucket) : { tags: null, notifications: null }),
    website: websiteOf(bucket),
    websiteHost: parts.websiteHostOf(bucket.name) ?? null,
    lastExpiry: runStatus(runOf.get(bucket.name)),
  }))
}

const openedBy: Readonly<Partial<Record<PolicyAction, string>>> = {
  's3:GetObject': 'read',
  's3:GetObjectVersion': 'read versions of',
  's3:GetObjectTagging': 'read tags of',
  's3:GetObjectVersionTagging': 'read tags of versions of',
  's3:ListBucket': 'list',
  's3:ListBucketVersions': 'list versions',
  's3:PutObject': 'write and overwrite',
  's3:DeleteObject': 'delete',
}

function stateOf(bucket: BucketConfiguration): BucketStatus['versioning'] {
  const versioning = versioningOf(bucket)
  if (versioning === undefined) return 'off'
  return isEnabled(versioning) ? 'enabled' : 'suspended'
}

/** For people to read, so conditions on listings are left out. */
function openByPolicy({ policy, publicAccessBlock }: BucketConfiguration): string[] {
  if (policy === undefined || publicAccessBlock?.restrictPublicBuckets) return []
  const parts = policy.grants.flatMap(({ action, keys }) => {
    const what = openedBy[action]
    return what === undefined ? [] : [keys === undefined ? what : `${what} ${keys}`]
  })
  return [...new Set(parts)]
}

type Figures = 'objects' | 'bytes' | 'lastModified' | 'countedAt' | 'isCounting' | 'problem'

/** The figures of a count as the API shows them. */
export function figuresOf({
  figures,
  isCounting,
  problem: why,
}: BucketCount): Pick<BucketStatus, Figures> {
  const problem = why ?? null
  if (figures === undefined) {
    const nothing = { objects: null, bytes: null, lastModified: null, countedAt: null }
    return { ...nothing, isCounting, problem }
  }
  const { objects, bytes, lastModifiedMs, countedAtMs } = figures
  const lastModified = objects === 0 ? null : timeOf(lastModifiedMs)
  return { objects, bytes, lastModified, countedAt: timeOf(countedAtMs), isCounting, problem }
}

function optionsOf({
  cors,
  lifecycle = [],
  quotaBytes,
}: BucketConfiguration): Pick<BucketStatus, 'allowedOrigins' | 'cors' | 'expiry' | 'quotaBytes'> {
  return {
    allowedOrigins: cors === undefined ? null : originsOf(cors),
    cors: cors === undefined ? null : cors.map(corsRuleOf),
    expiry: lifecycle.map(expiryRuleOf),
    quotaBytes: quotaBytes ?? null,
  }
}

/** The lists are copied, because the reply type has mutable ones. */
function corsRuleOf({
  allowedOrigins,
  allowedMethods,
  allowedHeaders,
  exposeHeaders,
  ...others
}: CorsRule) {
  return {
    ...others,
    allowedOrigins: [...allowedOrigins],
    allowedMethods: [...allowedMethods],
    allowedHeaders: [...allowedHeaders],
    exposeHeaders: [...exposeHeaders],
  }
}

function websiteOf({ website }: BucketConfiguration): WebsiteReply | null {
  if (website === undefined) return null
  if ('redirectAllTo' in website) {
    const { host = '', ...target } = website.redirectAllTo
    return { redirectAllTo: { ...target, host } }
  }
  const { rules, ...documents } = website
  return { ...documents, ...(rules !== undefined && { rules: rules.map((rule) => ({ ...rule })) }) }
}

function documentsOf({ tags = {}, notification = [] }: BucketConfiguration) {
  return {
    tags,
    notifications: notification.map(({ id, target, events, prefix, suffix }) => {
      return { id, target, events: [...events], prefix, suffix }
    }),
  }
}

function expiryRuleOf(rule: LifecycleRule): ExpiryRule {
  const { prefixForm: _, days = null, dateMs, abortUploadsDays = null, ...others } = rule
  const date = dateMs === undefined ? null : timeOf(dateMs).slice(0, 'YYYY-MM-DD'.length)
  return { ...others, days, date, abortUploadsDays }
}

function runStatus(run: ExpiryRun | undefined): ExpiryRunStatus | null {
  if (run === undefined) return null
  const { bucket: _, beganAtMs, problem = null, ...counts } = run
  return { beganAt: timeOf(beganAtMs), ...counts, problem }
}
