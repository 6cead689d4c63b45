import type { HttpReply } from '../../../platform/http/message.ts'
import type { BucketPolicy } from '../../buckets/bucket-policy.ts'
import { readSmallBody } from '../body/small-body.ts'
import { changeOptions } from '../configuration/change-options.ts'
import { maxPolicyBytes, parsePolicy } from '../configuration/policy-document.ts'
import { assertMayRead, refuseFixedAccess } from '../configuration/public-access.ts'
import type { BucketContext } from '../context.ts'
import { S3Error } from '../errors.ts'
import { xmlReply } from '../reply/xml-reply.ts'

/**
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketPolicy.html. It and the switch of the dashboard are one
 * state: the policy replaces it.
 */
export async function putBucketPolicy(context: BucketContext): Promise<HttpReply> {
  const { request, bucket, configuration } = context
  const policy = parsePolicy(await readSmallBody(request, maxPolicyBytes), bucket)
  if (policy.grants.length > 0 && configuration.publicAccessBlock?.blockPublicPolicy) {
    throw new S3Error(
      'AccessDenied',
      'The policy is public, and the PublicAccessBlock of the bucket has BlockPublicPolicy.',
    )
  }
  refuseFixedAccess(context)
  await changeOptions(context, { policy, isPublic: null })
  return { status: 204, headers: [] }
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketPolicy.html */
export async function getBucketPolicy(context: BucketContext): Promise<HttpReply> {
  const { text } = currentPolicy(context)
  return { status: 200, headers: [['Content-Type', 'application/json']], body: Buffer.from(text) }
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteBucketPolicy.html. The bucket is private then. */
export async function deleteBucketPolicy(context: BucketContext): Promise<HttpReply> {
  refuseFixedAccess(context)
  await changeOptions(context, { policy: null, isPublic: null })
  return { status: 204, headers: [] }
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketPolicyStatus.html */
export async function getBucketPolicyStatus(context: BucketContext): Promise<HttpReply> {
  const { grants } = currentPolicy(context)
  return xmlReply('PolicyStatus', { IsPublic: grants.length > 0 })
}

/** @throws S3Error NoSuchBucketPolicy; AccessDenied */
function currentPolicy(context: BucketContext): Pick<BucketPolicy, 'text' | 'grants'> {
  const { configuration } = context
  const { isPublic, policy } = configuration
  // An ACL or the settings may have opened a bucket that has a policy: each is in force.
  if (policy === undefined && isPublic) return policyOfPublic(context)
  if (policy === undefined) throw new S3Error('NoSuchBucketPolicy')
  assertMayRead(context)
  return policy
}

/** What a public bucket allows, as a policy. */
function policyOfPublic({ bucket, service }: BucketContext): BucketPolicy {
  const arn = `arn:aws:s3:::${bucket}`
  const allow = (Action: string, Resource: string) => ({
    ...{ Effect: 'Allow', Principal: { AWS: ['*'] }, Action: [Action], Resource: [Resource] },
  })
  const listed = service.settings.publicList ? [allow('s3:ListBucket', arn)] : []
  const Statement = [allow('s3:GetObject', `${arn}/*`), ...listed]
  const text = JSON.stringify({ Version: '2012-10-17', Statement })
  return parsePolicy(Buffer.from(text), bucket)
}
