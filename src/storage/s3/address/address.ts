import type { IncomingHttpHeaders } from 'node:http'
import type { HttpRequest } from '../../../platform/http/message.ts'
import type { ObjectContext, S3Service, S3Settings } from '../context.ts'
import { S3Error } from '../errors.ts'
import { percentDecode } from './query.ts'

/** What a request names. The key is still percent-encoded. */
export type Address =
  | { readonly level: 'service' }
  | { readonly level: 'bucket'; readonly bucket: string }
  | { readonly level: 'object'; readonly bucket: string; readonly rawKey: string }

/** S3: "The name for a key is a sequence of Unicode characters whose UTF-8 encoding is at most 1,024 bytes long." */
const maxKeyBytes = 1024

/**
 * Splits a raw path. `/b` and `/b/` are the bucket. Everything after the second slash is the key, in which `//`, `.` and
 * `..` have no special meaning.
 *
 * @throws S3Error InvalidURI if the bucket has an invalid escape
 */
export function parseAddress(rawPath: string): Address {
  if (rawPath === '/') return { level: 'service' }
  const slash = rawPath.indexOf('/', 1)
  const bucket = percentDecode(slash < 0 ? rawPath.slice(1) : rawPath.slice(1, slash))
  if (slash < 0 || slash === rawPath.length - 1) return { level: 'bucket', bucket }
  return { level: 'object', bucket, rawKey: rawPath.slice(slash + 1) }
}

/**
 * Decodes the key of a path.
 *
 * @throws S3Error InvalidURI for an invalid escape or bytes that are not UTF-8, KeyTooLongError for more than 1,024 bytes
 */
export function decodeKey(rawKey: string): string {
  const key = percentDecode(rawKey)
  if (key.length > maxKeyBytes / 3 && Buffer.byteLength(key) > maxKeyBytes) {
    throw new S3Error(
      'KeyTooLongError',
      `Your key is too long: at most ${maxKeyBytes} bytes of UTF-8.`,
      {
        elements: { Size: String(Buffer.byteLength(key)), MaxSizeAllowed: String(maxKeyBytes) },
      },
    )
  }
  return key
}

/** The name of a bucket has at most 63 characters, and so at most 32 labels. */
const maxLabels = 33

/** The settings for host names that contain buckets. */
export type VirtualHosts = Pick<S3Settings, 'virtualHostDomains' | 'websiteDomains' | 'publicUrl'>

/**
 * The bucket that a Host header names (https://docs.aws.amazon.com/AmazonS3/latest/userguide/VirtualHosting.html): the
 * part before the longest of VIRTUAL_HOST_DOMAINS that it ends with. Undefined if the path names the bucket, as for the
 * domains themselves and the host of PUBLIC_URL.
 */
export function bucketOfHost(
  host: string | undefined,
  { virtualHostDomains = [], publicUrl }: VirtualHosts,
): string | undefined {
  if (host === undefined || virtualHostDomains.length === 0) return undefined
  const name = nameOf(host)
  if (virtualHostDomains.includes(name) || name === nameOf(hostOf(publicUrl) ?? ''))
    return undefined
  const below = virtualHostDomains.filter((domain) => name.endsWith(`.${domain}`))
  if (below.length === 0) return undefined
  const longest = Math.max(...below.map((domain) => domain.length))
  return name.slice(0, -longest - 1) || undefined
}

/**
 * The names that the bucket of a website may have, if a Host header is for one: the part before the longest of
 * WEBSITE_DOMAINS, or the whole name. S3 and the dashboard never answer there, and websites never answer at the host of
 * PUBLIC_URL or below a longer one of VIRTUAL_HOST_DOMAINS.
 */
export function websiteOfHost(
  host: string | undefined,
  { websiteDomains = [], virtualHostDomains = [], publicUrl }: VirtualHosts,
): readonly string[] | undefined {
  if (host === undefined || websiteDomains.length === 0) return undefined
  const name = nameOf(host)
  const lengths = websiteDomains.filter((domain) => name.endsWith(`.${domain}`)).map(lengthOf)
  if (lengths.length === 0 || name === nameOf(hostOf(publicUrl) ?? '')) return undefined
  const longest = Math.max(...lengths)
  const isOfS3 = (domain: string) =>
    domain.length > longest && (name === domain || name.endsWith(`.${domain}`))
  return virtualHostDomains.some(isOfS3) ? undefined : [name.slice(0, -longest - 1), name]
}

/** The host name of the website that a bucket can have; undefined without a fitting one of WEBSITE_DOMAINS. */
export function websiteHostOf(bucket: string, hosts: VirtualHosts): string | undefined {
  const names = (hosts.websiteDomains ?? []).map((domain) =>
    bucket.endsWith(`.${domain}`) ? bucket : `${bucket}.${domain}`,
  )
  return names.find((name) => websiteOfHost(name, hosts)?.includes(bucket))
}

function lengthOf({ length }: string): number {
  return length
}

/** The address of a request whose host name contains `bucket`, or no bucket. */
export function addressOf({ rawPath }: HttpRequest, bucket: string | undefined): Address {
  if (bucket === undefined) return parseAddress(rawPath)
  if (rawPath === '/') return { level: 'bucket', bucket }
  return { level: 'object', bucket, rawKey: rawPath.slice(1) }
}

/**
 * Why a request failed whose client puts the bucket into a host name that is not below VIRTUAL_HOST_DOMAINS, for the owner
 * of the gateway. Undefined if the Host header does not begin with a bucket.
 */
export function virtualHostReason(
  { host }: IncomingHttpHeaders,
  { buckets, settings: { publicUrl } }: Pick<S3Service, 'buckets' | 'settings'>,
): string | undefined {
  const name = host?.toLowerCase() ?? ''
  const bucket = firstLabels(name).find((labels) => buckets.find(labels) !== undefined)
  if (bucket === undefined || name === hostOf(publicUrl)) return undefined
  const domain = nameOf(name).slice(bucket.length + 1, 100)
  return (
    `The client puts the bucket into the host name (${JSON.stringify(name.slice(0, 100))}), but ` +
    `the gateway expects it in the path, as in /${bucket}/key. Switch the client to path-style ` +
    'addresses: forcePathStyle in AWS SDKs, addressing_style = path in aws-cli and boto3, ' +
    `force_path_style in rclone. Or set VIRTUAL_HOST_DOMAINS=${domain} on the gateway.`
  )
}

/** Possible buckets in a host name: `a.b.c` → `a`, `a.b`. */
function firstLabels(host: string): string[] {
  const labels = host.split('.', maxLabels)
  return labels.slice(0, -1).map((_, index) => labels.slice(0, index + 1).join('.'))
}

/** The name in a Host header, in lower case, without port and final dot. */
function nameOf(host: string): string {
  return host.toLowerCase().replace(/\.?(?::\d*)?$/, '')
}

function hostOf(url: string | undefined): string | undefined {
  return url === undefined ? undefined : new URL(url).host
}

/**
 * The URL of an object in a reply: PUBLIC_URL, otherwise the request's scheme and host, and the path
 * (docs/contract/object-storage.md, "Complete").
 */
export function locationOf({ request, service, bucket, hostBucket }: ObjectContext): string {
  const { rawPath, headers, isSecure } = request
  const { publicUrl } = service.settings
  if (publicUrl === undefined)
    return `${isSecure ? 'https' : 'http'}://${headers.host ?? ''}${rawPath}`
  return hostBucket === undefined ? publicUrl + rawPath : `${publicUrl}/${bucket}${rawPath}`
}
