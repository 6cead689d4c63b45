/** Actions that a bucket policy can allow everyone, with AWS's names. */
export const policyActions = [
  's3:GetObject',
  's3:GetObjectVersion',
  's3:ListBucket',
  's3:GetBucketLocation',
] as const
export type PolicyAction = (typeof policyActions)[number]

/** The operators that compare the parameter `prefix` of a listing with values. */
export type PrefixOperator = 'StringEquals' | 'StringLike'

/** One action that a statement allows everyone. */
export interface PolicyGrant {
  readonly action: PolicyAction
  /** Which keys, with the wildcards `*` and `?`. Absent: the action is one of the bucket. */
  readonly keys?: string
  /** Each must be met by one of its values. A listing without `prefix` meets none. */
  readonly prefixes?: Readonly<Partial<Record<PrefixOperator, readonly string[]>>>
}

/** A bucket policy (https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucket-policies.html). */
export interface BucketPolicy {
  /** As it was put. */
  readonly text: string
  readonly grants: readonly PolicyGrant[]
}

/** What a request wants to do, in the words of a policy. */
export interface PolicyRequest {
  readonly action: PolicyAction
  /** Of an object. */
  readonly key: string
  /** The parameter of a listing. */
  readonly prefix: string | undefined
}

/** Whether the policy allows this to everyone. */
export function allowsEveryone(
  { grants }: Pick<BucketPolicy, 'grants'>,
  { action, key, prefix }: PolicyRequest,
): boolean {
  return grants.some(
    (grant) =>
      grant.action === action &&
      (grant.keys === undefined || matches(grant.keys, key)) &&
      meets(grant.prefixes ?? {}, prefix),
  )
}

/** Of a key, in characters. A longer prefix is that of no key, and its client chooses how long it is. */
const maxPrefixLength = 1024

function meets(
  { StringEquals: equal, StringLike: like }: NonNullable<PolicyGrant['prefixes']>,
  prefix: string | undefined,
): boolean {
  if ((equal || like) && (prefix?.length ?? 0) > maxPrefixLength) return false
  if (equal && (prefix === undefined || !equal.includes(prefix))) return false
  return !like || (prefix !== undefined && like.some((pattern) => matches(pattern, prefix)))
}

/**
 * Whether a text matches a pattern as a whole: `*` is any characters, also none, and `?` is one. It takes at most the
 * product of both lengths: keys and prefixes have 1,024 characters, a policy 20 KB.
 */
export function matches(pattern: string, text: string): boolean {
  const [wanted, given] = [[...pattern], [...text]]
  let at = 0
  // Where the last `*` was, and the text that it stands for ends.
  let star = -1
  let starEnd = 0
  for (let next = 0; next < given.length; ) {
    if (wanted[at] === '*') {
      star = at
      starEnd = next
      at += 1
    } else if (at < wanted.length && (wanted[at] === '?' || wanted[at] === given[next])) {
      at += 1
      next += 1
    } else if (star >= 0) {
      at = star + 1
      starEnd += 1
      next = starEnd
    } else {
      return false
    }
  }
  return wanted.slice(at).every((one) => one === '*')
}
