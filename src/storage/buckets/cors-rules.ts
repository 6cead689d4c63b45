export const corsMethods = ['GET', 'PUT', 'HEAD', 'POST', 'DELETE'] as const
export type CorsMethod = (typeof corsMethods)[number]

/**
 * Which pages of other origins may use a bucket
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/API_CORSRule.html).
 */
export interface CorsRule {
  readonly id?: string
  /** Each with at most one `*`, which stands for any characters. */
  readonly allowedOrigins: readonly string[]
  readonly allowedMethods: readonly CorsMethod[]
  /** Request headers, each with at most one `*`. */
  readonly allowedHeaders: readonly string[]
  /** Response headers that scripts may read. */
  readonly exposeHeaders: readonly string[]
  readonly maxAgeSeconds?: number
}

/** A request of a page, or what it announces by a preflight. */
export interface CorsRequest {
  readonly origin: string
  readonly method: string
  /** Names in Access-Control-Request-Headers; empty for a request that is not a preflight. */
  readonly headers: readonly string[]
}

export interface CorsMatch {
  readonly rule: CorsRule
  /** Whether the rule allows every origin, with `*` alone. */
  readonly isAnyOrigin: boolean
}

/**
 * The first rule that allows the origin, the method and every header (S3 User Guide, "Using
 * cross-origin resource sharing (CORS)": "S3 uses the first CORSRule … that matches").
 */
export function matchCorsRule(
  rules: readonly CorsRule[],
  request: CorsRequest,
): CorsMatch | undefined {
  const names = request.headers.map((name) => name.toLowerCase())
  for (const rule of rules) {
    const origin = rule.allowedOrigins.find((allowed) => matchesPattern(allowed, request.origin))
    if (origin === undefined) continue
    if (!rule.allowedMethods.some((method) => method === request.method)) continue
    if (!names.every((name) => isHeaderAllowed(rule, name))) continue
    return { rule, isAnyOrigin: origin === '*' }
  }
  return undefined
}

/** The allowed headers of a rule in lower case, read once: a preflight needs no signature. */
interface AllowedHeaders {
  readonly names: ReadonlySet<string>
  readonly patterns: readonly string[]
}

const allowedHeadersOf = new WeakMap<CorsRule, AllowedHeaders>()

function isHeaderAllowed(rule: CorsRule, lowerName: string): boolean {
  let allowed = allowedHeadersOf.get(rule)
  if (allowed === undefined) {
    const lower = rule.allowedHeaders.map((header) => header.toLowerCase())
    allowed = { names: new Set(lower), patterns: lower.filter((header) => header.includes('*')) }
    allowedHeadersOf.set(rule, allowed)
  }
  return (
    allowed.names.has(lowerName) ||
    allowed.patterns.some((pattern) => matchesPattern(pattern, lowerName))
  )
}

/** @param pattern with at most one `*`. */
function matchesPattern(pattern: string, text: string): boolean {
  const star = pattern.indexOf('*')
  if (star === -1) return pattern === text
  return (
    text.length >= pattern.length - 1 &&
    text.startsWith(pattern.slice(0, star)) &&
    text.endsWith(pattern.slice(star + 1))
  )
}

/** What scripts may read of a reply when only the origins are chosen. */
const exposedByDefault: readonly string[] = [
  'ETag',
  'Content-Length',
  'Content-Range',
  'Content-Encoding',
  'Content-Disposition',
  'Last-Modified',
  'Accept-Ranges',
  'Date',
  'x-amz-request-id',
]

/** Seconds for which a browser may cache the reply to a preflight; the maximum of Chromium. */
export const preflightMaxAgeSeconds = 7200

/** One rule that lets pages of these origins do everything; no rules for no origins. */
export function rulesForOrigins(origins: readonly string[]): CorsRule[] {
  if (origins.length === 0) return []
  return [
    {
      allowedOrigins: origins,
      allowedMethods: corsMethods,
      allowedHeaders: ['*'],
      exposeHeaders: exposedByDefault,
      maxAgeSeconds: preflightMaxAgeSeconds,
    },
  ]
}

/** The origins that any rule names, each once. */
export function originsOf(rules: readonly CorsRule[]): string[] {
  return [...new Set(rules.flatMap(({ allowedOrigins }) => allowedOrigins))]
}
