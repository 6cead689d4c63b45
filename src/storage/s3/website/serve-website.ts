import type { IncomingHttpHeaders } from 'node:http'
import { STATUS_CODES } from 'node:http'
import type {
  HeaderFields,
  HttpReply,
  HttpRequest,
  PendingReply,
} from '../../../platform/http/message.ts'
import type { RedirectTarget, RoutingRule, Website } from '../../buckets/website.ts'
import { decodeKey } from '../address/address.ts'
import type { S3Service } from '../context.ts'
import { rawKeyOf } from '../form/form-upload.ts'
import type { S3Handler } from '../handler.ts'
import { escapeXml } from '../reply/xml.ts'

interface WebsiteParts {
  readonly s3: S3Handler
  readonly service: Pick<S3Service, 'buckets' | 'cached'>
}

interface Visit extends WebsiteParts {
  readonly request: HttpRequest
  readonly bucket: string
  /** Decoded. */
  readonly key: string
}

/** Answers requests for the website of a bucket. The names are those that the bucket may have, the first one first. */
export type WebsiteHandler = (request: HttpRequest, names: readonly string[]) => PendingReply

/**
 * Websites of buckets (https://docs.aws.amazon.com/AmazonS3/latest/userguide/WebsiteHosting.html), as anonymous reads: what
 * the public access of the bucket does not open is an error. They have no Content-Security-Policy, so they must not share a host
 * name with the dashboard or S3 (`websiteOfHost`).
 */
export function createWebsites(parts: WebsiteParts): WebsiteHandler {
  const { service, s3 } = parts
  return async (request, names) => {
    await service.cached?.ensureFresh()
    const bucket = names.find((name) => service.buckets.find(name) !== undefined)
    if (bucket === undefined) return errorPage(request, 404, 'NoSuchBucket')
    const website = service.buckets.find(bucket)?.website
    if (website === undefined) return errorPage(request, 404, 'NoSuchWebsiteConfiguration')
    if (request.method === 'OPTIONS') return await s3(request, bucket)
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      const allow = ['Allow', 'GET, HEAD, OPTIONS'] as const
      return errorPage(request, 405, 'MethodNotAllowed', [allow])
    }
    let key: string
    try {
      key = decodeKey(request.rawPath.slice(1))
    } catch {
      return errorPage(request, 400, 'InvalidURI')
    }
    return await answer({ ...parts, request, bucket, key }, website)
  }
}

async function answer(visit: Visit, website: Website): Promise<HttpReply> {
  const { request, key } = visit
  const { rawPath, rawQuery } = request
  const query = rawQuery === '' ? '' : `?${rawQuery}`
  if ('redirectAllTo' in website) {
    return redirect(
      visit,
      301,
      locationOf(visit, website.redirectAllTo, `${rawPath.slice(1)}${query}`),
    )
  }
  const { index, rules = [] } = website
  const early = rules.find((rule) => rule.status === undefined && isFor(rule, key))
  if (early !== undefined) return redirectBy(early, visit)
  const isFolder = key === '' || key.endsWith('/')
  const reply = await read(visit, isFolder ? `${rawPath}${rawKeyOf(index)}` : rawPath)
  if (reply.status < 400) return asWebsite(reply)
  // User Guide, "Configuring an index document": a folder without a slash is redirected to the one with it.
  if (!isFolder && (reply.status === 404 || reply.status === 403)) {
    const probed = await read(visit, `${rawPath}/${rawKeyOf(index)}`, { method: 'HEAD' })
    if (probed.status < 400) return redirect(visit, 302, `${sameHost(rawPath)}/${query}`)
  }
  const { status } = reply
  const late = rules.find((rule) => rule.status === status && isFor(rule, key))
  return late === undefined ? await failed(visit, website.errorKey, reply) : redirectBy(late, visit)
}

/** A failed read: the error document, with the status of the failure, or a page of our own. */
async function failed(
  visit: Visit,
  errorKey: string | undefined,
  reply: HttpReply,
): Promise<HttpReply> {
  const { status, logFields } = reply
  if (errorKey !== undefined && status < 500) {
    const found = await read(visit, `/${rawKeyOf(errorKey)}`, { isWhole: true })
    if (found.status === 200) {
      const headers = asWebsite(found).headers.filter(([name]) => !ofObject.has(name.toLowerCase()))
      return { ...found, status, headers, logFields }
    }
  }
  const kept = reply.headers.filter(([name]) =>
    /^(?:retry-after|vary|access-control-.*)$/i.test(name),
  )
  const page = errorPage(visit.request, status, String(logFields?.code ?? ''), kept)
  return { ...page, logFields }
}

/** Fields that would let a cache take the error document for the object. */
const ofObject: ReadonlySet<string> = new Set(['etag', 'last-modified', 'accept-ranges'])

/** Browsers send these for documents. Others, such as Authorization, would make it another request. */
const passedOn = /^(?:host|origin|range|if-.*|accept.*|user-agent|referer|access-control-.*)$/

async function read(
  { s3, request, bucket }: Visit,
  rawPath: string,
  { method = request.method, isWhole = false } = {},
): Promise<HttpReply> {
  const headers: IncomingHttpHeaders = {}
  for (const [name, value] of Object.entries(request.headers)) {
    if (!passedOn.test(name) || (isWhole && /^(?:range|if-.*)$/.test(name))) continue
    headers[name] = value
  }
  const { id, isSecure, remoteAddress, receivedAtMs, body, signal } = request
  const made: HttpRequest = {
    ...{ id, method, rawPath, rawQuery: '', headers, rawHeaders: [], body, isSecure },
    ...{ remoteAddress, receivedAtMs, signal, isKnown: false },
    markKnown: () => undefined,
    acceptBody: () => request.acceptBody(),
    leaveWithClient: () => request.leaveWithClient(),
  }
  return s3(made, bucket)
}

/** S3's replies are for an origin that they share with the dashboard. That of a website is its own. */
function asWebsite(reply: HttpReply): HttpReply {
  const headers = reply.headers.filter(([name]) => name !== 'Content-Security-Policy')
  return { ...reply, headers }
}

function isFor({ keyPrefix = '' }: RoutingRule, key: string): boolean {
  return key.startsWith(keyPrefix)
}

function redirectBy(rule: RoutingRule, visit: Visit): HttpReply {
  const { keyPrefix = '', key: wholeKey, newPrefix } = rule
  const { key } = visit
  const replaced =
    newPrefix === undefined
      ? rawKeyOf(key)
      : asciiUrl(newPrefix) + rawKeyOf(key.slice(keyPrefix.length))
  return redirect(
    visit,
    rule.code,
    locationOf(visit, rule, wholeKey === undefined ? replaced : asciiUrl(wholeKey)),
  )
}

/** The owner writes these texts as parts of a URL, which may have a query or a fragment, as in `#!/`. */
function asciiUrl(text: string): string {
  return text.replace(/[^\x21-\x7e]/gu, encodeURIComponent)
}

/** Relative unless the target names a host or scheme, because a proxy may have another scheme. */
function locationOf({ request }: Visit, { host, protocol }: RedirectTarget, path: string): string {
  if (host === undefined && protocol === undefined) return sameHost(`/${path}`)
  const scheme = protocol ?? (request.isSecure ? 'https' : 'http')
  return `${scheme}://${host ?? request.headers.host ?? ''}/${path}`
}

/**
 * A reference that begins with two slashes names another host (RFC 3986 section 4.2). Browsers take a backslash for a slash
 * (URL standard, "relative slash state").
 */
function sameHost(path: string): string {
  return /^\/[/\\]/.test(path) ? `/.${path}` : path
}

function redirect({ bucket, key }: Visit, status: number, location: string): HttpReply {
  return {
    status,
    headers: [
      ['Location', location],
      ['Content-Length', '0'],
    ],
    logFields: { operation: 'website', bucket, key: key.slice(0, 200) },
  }
}

/** A page in the form of AWS's (https://docs.aws.amazon.com/AmazonS3/latest/userguide/CustomErrorDocSupport.html). */
function errorPage(
  { id }: HttpRequest,
  status: number,
  code: string,
  headers: HeaderFields = [],
): HttpReply {
  const title = escapeXml(`${status} ${STATUS_CODES[status] ?? ''}`.trim())
  const facts = `<ul>\n<li>Code: ${escapeXml(code)}</li>\n<li>RequestId: ${escapeXml(id)}</li>\n</ul>`
  return {
    status,
    headers: [['Content-Type', 'text/html; charset=utf-8'], ['x-amz-request-id', id], ...headers],
    body: `<!doctype html>\n<html>\n<head><title>${title}</title></head>\n<body>\n<h1>${title}</h1>\n${facts}\n</body>\n</html>\n`,
    logFields: { operation: 'website', code },
  }
}
