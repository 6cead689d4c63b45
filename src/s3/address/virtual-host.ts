import type { IncomingHttpHeaders } from 'node:http'
import type { S3Service } from '../context.ts'

/** A bucket's name has at most 63 characters, and so at most 32 labels. */
const maxLabels = 33

/**
 * Why a request failed if its client puts the bucket into the host name
 * (https://docs.aws.amazon.com/AmazonS3/latest/userguide/VirtualHosting.html), for the owner of the
 * gateway. Undefined when the Host header does not begin with one of the buckets.
 */
export function virtualHostReason(
  { host }: IncomingHttpHeaders,
  { buckets, settings: { publicUrl } }: Pick<S3Service, 'buckets' | 'settings'>,
): string | undefined {
  const name = host?.toLowerCase() ?? ''
  const bucket = firstLabels(name).find((labels) => buckets.find(labels) !== undefined)
  if (bucket === undefined || name === hostOf(publicUrl)) return undefined
  return (
    `The client puts the bucket into the host name (${JSON.stringify(name.slice(0, 100))}), but ` +
    `the gateway expects it in the path, as in /${bucket}/key. Switch the client to path-style ` +
    'addresses: forcePathStyle in AWS SDKs, addressing_style = path in aws-cli and boto3, ' +
    'force_path_style in rclone.'
  )
}

/** What may be the bucket in a host name: `a.b.c` → `a`, `a.b`. */
function firstLabels(host: string): string[] {
  const labels = host.split('.', maxLabels)
  return labels.slice(0, -1).map((_, index) => labels.slice(0, index + 1).join('.'))
}

function hostOf(url: string | undefined): string | undefined {
  return url === undefined ? undefined : new URL(url).host
}
