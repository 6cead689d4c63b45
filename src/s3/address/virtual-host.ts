import type { IncomingHttpHeaders } from 'node:http'
import type { S3Settings } from '../context.ts'

/**
 * Why a request failed if its client puts the bucket into the host name
 * (https://docs.aws.amazon.com/AmazonS3/latest/userguide/VirtualHosting.html), for the owner of the
 * gateway. Undefined when the Host header does not begin with one of the buckets.
 */
export function virtualHostReason(
  { host }: IncomingHttpHeaders,
  { allowedBuckets, publicUrl }: Pick<S3Settings, 'allowedBuckets' | 'publicUrl'>,
): string | undefined {
  const name = host?.toLowerCase() ?? ''
  const bucket = allowedBuckets.find((each) => name.startsWith(`${each}.`))
  if (bucket === undefined || name === hostOf(publicUrl)) return undefined
  return (
    `The client puts the bucket into the host name (${JSON.stringify(name.slice(0, 100))}), but ` +
    `the gateway expects it in the path, as in /${bucket}/key. Switch the client to path-style ` +
    'addresses: forcePathStyle in AWS SDKs, addressing_style = path in aws-cli and boto3, ' +
    'force_path_style in rclone.'
  )
}

function hostOf(url: string | undefined): string | undefined {
  return url === undefined ? undefined : new URL(url).host
}
