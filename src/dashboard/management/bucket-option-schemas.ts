import { z } from 'zod'
import { corsMethods } from '../../storage/buckets/cors-rules.ts'
import { doOverlap, isEventPattern, targetNames } from '../../storage/buckets/notification-rules.ts'
import { maxWebsiteRules, websiteHostPattern } from '../../storage/buckets/website.ts'

/** What can be set for a bucket, with the limits of the S3 operations that set the same. */

const maxDays = 0x7fffffff
/** API reference, PutBucketCors: "The document is limited to 64 KB in size." */
const maxCorsBytes = 64 * 1024
/** API reference, PutBucketWebsite: "The maximum request length is limited to 128 KB." */
const maxWebsiteBytes = 128 * 1024
/** As in PutBucketLifecycleConfiguration. */
const maxNewerVersions = 100

export const expiryRule = z
  .strictObject({
    id: z.string().min(1).max(255),
    prefix: z.string().meta({ description: 'Only keys that begin with it; empty: all keys.' }),
    days: z.int().min(1).max(maxDays).nullable().meta({
      description: 'Objects are removed this many days after their last change.',
    }),
    date: z.iso.date().nullable().default(null).meta({
      description: 'Objects are removed on this date at midnight UTC. An alternative to `days`.',
    }),
    abortUploadsDays: z.int().min(1).max(maxDays).nullable().meta({
      description: 'Open uploads are aborted this many days after they began.',
    }),
    noncurrentDays: z.int().min(1).max(maxDays).optional().meta({
      description:
        'Former versions are removed permanently this many days after they were replaced.',
    }),
    newerNoncurrentVersions: z.int().min(1).max(maxNewerVersions).optional().meta({
      description:
        'Only with `noncurrentDays`: this many of the newest former versions of an object stay.',
    }),
    expiresMarkers: z.boolean().optional().meta({
      description: 'Whether delete markers are removed when no other version is left.',
    }),
    tags: z.record(z.string().min(1).max(128), z.string().max(256)).optional().meta({
      description: 'Only objects that have all these tags.',
    }),
    largerThan: z.int().min(0).optional().meta({
      description: 'Only objects larger than this, in bytes.',
    }),
    smallerThan: z.int().min(0).optional().meta({
      description: 'Only objects smaller than this, in bytes.',
    }),
    isEnabled: z.boolean(),
  })
  .refine(
    ({ tags, largerThan, smallerThan, abortUploadsDays }) =>
      (tags ?? largerThan ?? smallerThan) === undefined || abortUploadsDays === null,
    { path: ['abortUploadsDays'], message: 'Expected no tags or sizes with it.' },
  )
  .refine(({ prefix }) => Buffer.byteLength(prefix) <= 1_024, {
    ...{ path: ['prefix'], message: 'Expected at most 1,024 bytes.' },
  })
  .refine(({ days, date }) => days === null || date === null, {
    ...{ path: ['date'], message: 'Expected either days or date.' },
  })
  .refine(({ noncurrentDays, newerNoncurrentVersions: newer }) => !newer || noncurrentDays, {
    ...{ path: ['newerNoncurrentVersions'], message: 'Expected noncurrentDays with it.' },
  })
  .refine(
    ({ expiresMarkers, days, date, tags }) =>
      expiresMarkers === undefined || (days ?? date ?? tags ?? null) === null,
    { path: ['expiresMarkers'], message: 'Expected no days, date or tags with it.' },
  )
  .refine(
    ({ days, date, abortUploadsDays, noncurrentDays, expiresMarkers }) =>
      (days ?? date ?? abortUploadsDays ?? noncurrentDays ?? expiresMarkers ?? null) !== null,
    {
      path: ['days'],
      message: 'Expected days, date, abortUploadsDays, noncurrentDays or expiresMarkers.',
    },
  )
export type ExpiryRule = z.infer<typeof expiryRule>

export const expiryRules = z
  .array(expiryRule)
  .max(1_000)
  .refine((rules) => new Set(rules.map(({ id }) => id)).size === rules.length, {
    error: 'Expected a different id in every rule.',
  })

export const origin = z
  .string()
  .max(2_048)
  .regex(/^(?:\*|null|[a-z][a-z0-9+.-]*:\/\/[^\s/?#,]+)$/i, {
    error: 'Expected an origin such as https://app.example, without a path, or *.',
  })
  .refine((text) => text.indexOf('*') === text.lastIndexOf('*'), {
    error: 'Expected at most one *.',
  })

/** PutBucketCors allows any text with one `*`. */
const pattern = z.string().refine((text) => text.indexOf('*') === text.lastIndexOf('*'), {
  error: 'Expected at most one *.',
})

/** Every rule that PutBucketCors accepts: replies contain the rules of S3 clients. */
export const corsRule = z.strictObject({
  id: z.string().max(255).optional(),
  allowedOrigins: z.array(pattern.min(1)).min(1),
  allowedMethods: z.array(z.enum(corsMethods)).min(1),
  allowedHeaders: z.array(pattern),
  exposeHeaders: z.array(
    z.string().regex(/^[!#$%&'+\-.^_`|~0-9A-Za-z]+$/, { error: 'Expected the name of a header.' }),
  ),
  maxAgeSeconds: z.int().min(0).max(0x7fffffff).optional(),
})
export type CorsRuleReply = z.infer<typeof corsRule>

export const corsRules = z
  .array(corsRule)
  .min(1)
  .max(100)
  .refine((rules) => Buffer.byteLength(JSON.stringify(rules)) <= maxCorsBytes, {
    error: 'Expected at most 64 KiB.',
  })

const tagText = /^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$/u
const tagError = { error: 'Expected letters, digits, spaces and _ . : / = + - @.' }

export const tags = z
  .record(
    z.string().min(1).max(128).regex(tagText, tagError),
    z.string().max(256).regex(tagText, tagError),
  )
  .refine((pairs) => Object.keys(pairs).length <= 50, { error: 'Expected at most 50 tags.' })
  .refine((pairs) => !Object.keys(pairs).some((key) => /^aws:/i.test(key)), {
    error: 'Expected no tag whose name begins with aws:.',
  })

const filter = z.string().refine((text) => Buffer.byteLength(text) <= 1_024, {
  error: 'Expected at most 1,024 bytes.',
})

export const notificationRule = z.strictObject({
  id: z.string().min(1).max(255),
  target: z.enum(targetNames),
  events: z
    .array(
      z.string().refine(isEventPattern, { error: 'Expected an event such as s3:ObjectCreated:*.' }),
    )
    .min(1)
    .max(20),
  prefix: filter.meta({ description: 'Only keys that begin with it.' }),
  suffix: filter.meta({ description: 'Only keys that end with it.' }),
})
export type NotificationRuleReply = z.infer<typeof notificationRule>

export const notificationRules = z
  .array(notificationRule)
  .max(100)
  .refine((rules) => new Set(rules.map(({ id }) => id)).size === rules.length, {
    error: 'Expected a different id in every rule.',
  })
  .refine(
    (rules) =>
      !rules.some((rule, at) =>
        rules.slice(0, at).some((other) => other.target === rule.target && doOverlap(other, rule)),
      ),
    { error: 'Two rules send the same event to the same target.' },
  )

/** PutBucketWebsite limits the document, but not a text. Addresses are made of these, so they have no lone surrogates. */
const websiteText = z.string().refine((text) => text.isWellFormed(), {
  error: 'Expected valid Unicode.',
})

const target = {
  host: z
    .string()
    .regex(websiteHostPattern, { error: 'Expected a host name, with an optional port.' })
    .optional(),
  protocol: z.enum(['http', 'https']).optional(),
}

const routingRule = z
  .strictObject({
    ...target,
    keyPrefix: websiteText.optional().meta({
      description: 'Only for addresses that begin with it.',
    }),
    status: z.int().min(400).max(599).optional().meta({
      description: 'Only if the object is answered with this status.',
    }),
    key: websiteText.optional().meta({ description: 'The key to redirect to.' }),
    newPrefix: websiteText.optional().meta({
      description: 'What replaces `keyPrefix`. An alternative to `key`.',
    }),
    code: z.int().min(301).max(308).optional().meta({
      description: 'Status of the redirect. Default: 301.',
    }),
  })
  .refine(({ key, newPrefix }) => key === undefined || newPrefix === undefined, {
    ...{ path: ['newPrefix'], message: 'Expected either key or newPrefix.' },
  })
  .refine(
    ({ host, protocol, key, newPrefix, code }) =>
      (host ?? protocol ?? key ?? newPrefix ?? code) !== undefined,
    { path: ['newPrefix'], message: 'Expected newPrefix, key, host, protocol or code.' },
  )

/** Every website that PutBucketWebsite accepts: replies contain the websites of S3 clients. */
export const website = z.union([
  z.strictObject({
    index: websiteText
      .regex(/^[^/]+$/, { error: 'Expected a name without a slash.' })
      .meta({ description: 'The document of a folder, such as index.html.' }),
    errorKey: websiteText.min(1).optional().meta({
      description: 'The key of the document that is sent with errors.',
    }),
    rules: z.array(routingRule).max(maxWebsiteRules).optional().meta({
      description: 'Redirects. The first one that applies counts.',
    }),
  }),
  z.strictObject({
    redirectAllTo: z.strictObject({ ...target, host: target.host.unwrap() }).meta({
      description: 'Every request is redirected to this host.',
    }),
  }),
])
export type WebsiteReply = z.infer<typeof website>

export const newWebsite = website.refine(
  (given) => Buffer.byteLength(JSON.stringify(given)) <= maxWebsiteBytes,
  { error: 'Expected at most 128 KiB.' },
)
