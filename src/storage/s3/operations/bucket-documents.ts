import type { HttpReply } from '../../../platform/http/message.ts'
import type { BucketDocuments } from '../../buckets/bucket-options.ts'
import type { BucketPolicy } from '../../buckets/bucket-policy.ts'
import { versioningStatus } from '../../buckets/bucket-versioning.ts'
import { readSmallBody } from '../body/xml-body.ts'
import {
  parseOwnershipControls,
  parsePublicAccessBlock,
  parseVersioning,
  publicAccessBlockContent,
} from '../configuration/access-documents.ts'
import { maxPolicyBytes, parsePolicy } from '../configuration/policy-document.ts'
import {
  assertMayGiveAway,
  assertMayRead,
  changeOptions,
  refuseFixedAccess,
} from '../configuration/public-access.ts'
import {
  bucketTagLimits,
  maxTaggingBytes,
  parseTagging,
  taggingContent,
} from '../configuration/tagging-document.ts'
import type { BucketContext } from '../context.ts'
import { S3Error } from '../errors.ts'
import { xmlReply } from '../reply/xml.ts'
import { s3ErrorOfBucket } from './bucket.ts'

/**
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketPolicy.html. The policy and the switch of the dashboard
 * are one state, so the policy replaces the switch.
 */
export async function putBucketPolicy(context: BucketContext): Promise<HttpReply> {
  const { service, request, bucket, configuration } = context
  const policy = parsePolicy(await readSmallBody(request, maxPolicyBytes), bucket)
  if (policy.grants.length > 0 && configuration.publicAccessBlock?.blockPublicPolicy) {
    throw new S3Error(
      'AccessDenied',
      'The policy is public, and the PublicAccessBlock of the bucket has BlockPublicPolicy.',
    )
  }
  refuseFixedAccess(context)
  const isWritable = assertMayGiveAway(context, policy)
  await changeOptions(context, { policy, isPublic: null })
  if (isWritable) service.log.warn({ bucket }, writableByAll)
  return { status: 204, headers: [] }
}

/** For the log, because nobody needs a key any more. */
const writableByAll =
  'a bucket policy lets everyone write to the bucket or delete from it, without a key'

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketPolicy.html */
export async function getBucketPolicy(context: BucketContext): Promise<HttpReply> {
  const { text } = currentPolicy(context)
  return { status: 200, headers: [['Content-Type', 'application/json']], body: Buffer.from(text) }
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteBucketPolicy.html. It makes the bucket private. */
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
  // An ACL or the settings may have made a bucket with a policy public: both are in force.
  if (policy === undefined && isPublic) return policyOfPublic(context)
  if (policy === undefined) throw new S3Error('NoSuchBucketPolicy')
  assertMayRead(context)
  return policy
}

/** Returns what a public bucket allows, as a policy. */
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

const maxBytes = 64 * 1024

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketTagging.html. Tags of a bucket have no effect. */
export async function putBucketTagging(context: BucketContext): Promise<HttpReply> {
  const tags = parseTagging(await readSmallBody(context.request, maxTaggingBytes), bucketTagLimits)
  const hasTags = Object.keys(tags).length > 0
  await changed(context, { tags: hasTags ? tags : null })
  return { status: 204, headers: [] }
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketTagging.html */
export async function getBucketTagging(context: BucketContext): Promise<HttpReply> {
  const { tags } = context.configuration
  if (tags === undefined) throw new S3Error('NoSuchTagSet')
  assertMayRead(context)
  return xmlReply('Tagging', taggingContent(tags))
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteBucketTagging.html */
export function deleteBucketTagging(context: BucketContext): Promise<HttpReply> {
  return changed(context, { tags: null })
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutPublicAccessBlock.html */
export async function putPublicAccessBlock(context: BucketContext): Promise<HttpReply> {
  const publicAccessBlock = parsePublicAccessBlock(await readSmallBody(context.request, maxBytes))
  const { ignorePublicAcls, restrictPublicBuckets } = publicAccessBlock
  if (ignorePublicAcls || restrictPublicBuckets) refuseFixedAccess(context)
  return await changed(context, { publicAccessBlock })
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetPublicAccessBlock.html */
export async function getPublicAccessBlock(context: BucketContext): Promise<HttpReply> {
  const { publicAccessBlock: block } = context.configuration
  if (block === undefined) throw new S3Error('NoSuchPublicAccessBlockConfiguration')
  assertMayRead(context)
  return xmlReply('PublicAccessBlockConfiguration', publicAccessBlockContent(block))
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeletePublicAccessBlock.html */
export function deletePublicAccessBlock(context: BucketContext): Promise<HttpReply> {
  return changed(context, { publicAccessBlock: null })
}

/**
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketOwnershipControls.html. They have no effect: there is
 * one owner, and ACLS determines the effect of ACLs.
 */
export async function putOwnershipControls(context: BucketContext): Promise<HttpReply> {
  const objectOwnership = parseOwnershipControls(await readSmallBody(context.request, maxBytes))
  if (objectOwnership === 'BucketOwnerEnforced' && context.service.acls.mode === 'bucket') {
    const message = 'With ACLS=bucket, ACLs have an effect: BucketOwnerEnforced would not be true.'
    throw new S3Error('InvalidRequest', message)
  }
  return await changed(context, { objectOwnership })
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketOwnershipControls.html */
export async function getOwnershipControls(context: BucketContext): Promise<HttpReply> {
  const { objectOwnership } = context.configuration
  if (objectOwnership === undefined) throw new S3Error('OwnershipControlsNotFoundError')
  assertMayRead(context)
  return xmlReply('OwnershipControls', { Rule: { ObjectOwnership: objectOwnership } })
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteBucketOwnershipControls.html */
export function deleteOwnershipControls(context: BucketContext): Promise<HttpReply> {
  return changed(context, { objectOwnership: null })
}

/**
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketVersioning.html. As on AWS, versions are never off again:
 * they are suspended.
 */
export async function putBucketVersioning(context: BucketContext): Promise<HttpReply> {
  const { service, request, bucket } = context
  const status = parseVersioning(await readSmallBody(request, maxBytes))
  if (service.versioning === undefined) throw new S3Error('NotImplemented')
  await service.versioning.change(bucket, status, service.drive).catch((error: unknown) => {
    throw s3ErrorOfBucket(error)
  })
  return { status: 200, headers: [['Content-Length', '0']] }
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketVersioning.html */
export async function getBucketVersioning({ configuration }: BucketContext): Promise<HttpReply> {
  const status = versioningStatus(configuration.versioning)
  return xmlReply('VersioningConfiguration', status === undefined ? {} : { Status: status })
}

type DocumentsChange = { readonly [Name in keyof BucketDocuments]?: BucketDocuments[Name] | null }

/** S3 answers most of these with 204; clients accept any 2xx. */
async function changed(context: BucketContext, change: DocumentsChange): Promise<HttpReply> {
  await changeOptions(context, change)
  const isRemoval = context.request.method === 'DELETE'
  return { status: isRemoval ? 204 : 200, headers: isRemoval ? [] : [['Content-Length', '0']] }
}
