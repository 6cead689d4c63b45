import type { IncomingHttpHeaders } from 'node:http'
import type { HttpRequest } from '../../../platform/http/message.ts'
import type { ObjectContext, S3Service, S3Settings } from '../context.ts'
import { S3Error } from '../errors.ts'
import { percentDecode } from './query.ts'

/**
 * What a request names. The key is still percent-encoded.
 */
export type Address =
  | { readonly level: 'service' }
  | { readonly level: 'bucket'; readonly bucket: string }
  | { readonly level: 'object'; readonly bucket: string; readonly rawKey: string }

/** S3: "The name for a key is a sequence of Unicode characters whose UTF-8 encoding is at most 1,024 bytes long." */
const maxKeyBytes = 1024

/**
 * Splits a raw path. `/b` and `/b/` are the bucket, everything after the second slash is the key,
 * byte for byte: `//`, `.` and `..` are ordinary parts of it.
 *
 * @throws S3Error InvalidURI when the bucket has a broken escape.
 */
export function parseAddress(rawPath: string): Address {
  if (rawPath === '/') return { level: 'service' }
  const slash = rawPath.indexOf('/', 1)
  const bucket = percentDecode(slash < 0 ? rawPath.slice(1) : rawPath.slice(1, slash))
  if (slash < 0 || slash === rawPath.length - 1) return { level: 'bucket', bucket }
  return { level: 'object', bucket, rawKey: rawPath.slice(slash + 1) }
}

/**
 * The key that a raw key names. The only place where a key of a path is decoded.
 *
 * @throws S3Error InvalidURI for a broken escape or bytes that are not UTF-8, KeyTooLongError for
 *   more than 1,024 bytes.
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

/** A bucket's name has at most 63 characters, and so at most 32 labels. */
const maxLabels = 33

/** Where buckets are in host names. */
export type VirtualHosts = Pick<S3Settings, 'virtualHostDomains' | 'publicUrl'>

/**
 * The bucket that a Host header names (https://docs.aws.amazon.com/AmazonS3/latest/userguide/VirtualHosting.html): what
 * is in front of the longest of VIRTUAL_HOST_DOMAINS that it ends with. Undefined if the path names the bucket, as for
 * the domains themselves and for the host of PUBLIC_URL.
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

/** The address of a request whose host name contains `bucket`, or no bucket. */
export function addressOf({ rawPath }: HttpRequest, bucket: string | undefined): Address {
  if (bucket === undefined) return parseAddress(rawPath)
  if (rawPath === '/') return { level: 'bucket', bucket }
  return { level: 'object', bucket, rawKey: rawPath.slice(1) }
}

/**
 * Why a request failed if its client puts the bucket into the host name, and no domain of the settings allows that, for
 * the owner of the gateway. Undefined when the Host header does not begin with one of the buckets.
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

/** What may be the bucket in a host name: `a.b.c` → `a`, `a.b`. */
function firstLabels(host: string): string[] {
  const labels = host.split('.', maxLabels)
  return labels.slice(0, -1).map((_, index) => labels.slice(0, index + 1).join('.'))
}

/** Of a Host header, in lower case: without the port and the dot of the root. */
function nameOf(host: string): string {
  return host.toLowerCase().replace(/\.?(?::\d*)?$/, '')
}

function hostOf(url: string | undefined): string | undefined {
  return url === undefined ? undefined : new URL(url).host
}

/**
 * The address of an object that a reply names: PUBLIC_URL or the request's scheme and host, and the path
 * (docs/contract/object-storage.md, "Complete").
 */
export function locationOf({ request, service, bucket, hostBucket }: ObjectContext): string {
  const { rawPath, headers, isSecure } = request
  const { publicUrl } = service.settings
  if (publicUrl === undefined)
    return `${isSecure ? 'https' : 'http'}://${headers.host ?? ''}${rawPath}`
  return hostBucket === undefined ? publicUrl + rawPath : `${publicUrl}/${bucket}${rawPath}`
}
