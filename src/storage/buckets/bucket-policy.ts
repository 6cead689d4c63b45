/** Actions that a bucket policy can allow to anonymous users, with AWS's names. */
export const policyActions = [
  's3:GetObject',
  's3:GetObjectVersion',
  's3:GetObjectTagging',
  's3:GetObjectVersionTagging',
  's3:ListBucket',
  's3:ListBucketVersions',
  's3:GetBucketLocation',
  's3:ListBucketMultipartUploads',
  's3:PutObject',
  's3:DeleteObject',
  's3:AbortMultipartUpload',
  's3:ListMultipartUploadParts',
] as const
export type PolicyAction = (typeof policyActions)[number]

/** The right that a key needs to let everyone do this, so that nobody gives away more than they have. */
export const rightsOfWrites: Readonly<Partial<Record<PolicyAction, 'write' | 'delete'>>> = {
  's3:PutObject': 'write',
  's3:AbortMultipartUpload': 'write',
  's3:DeleteObject': 'delete',
}

/** The operators that compare the parameter `prefix` of a listing with values. */
export type PrefixOperator = 'StringEquals' | 'StringLike'

/** An action that a statement allows to anonymous users. */
export interface PolicyGrant {
  readonly action: PolicyAction
  /** The keys, with the wildcards `*` and `?`. Absent: the action is for the bucket. */
  readonly keys?: string
  /** Each operator must match one of its values. A listing without `prefix` matches none. */
  readonly prefixes?: Readonly<Partial<Record<PrefixOperator, readonly string[]>>>
}

/** A bucket policy (https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucket-policies.html). */
export interface BucketPolicy {
  /** As the client wrote it. */
  readonly text: string
  readonly grants: readonly PolicyGrant[]
}

/** The access that a request needs, in terms of a policy. */
export interface PolicyRequest {
  readonly action: PolicyAction
  /** The key of an object. */
  readonly key: string
  /** The parameter `prefix` of a listing. */
  readonly prefix: string | undefined
}

/** Whether the policy allows the request to anonymous users. */
export function allowsEveryone(policy: BucketPolicy, request: PolicyRequest): boolean {
  const { action, key, prefix } = request
  let rights = compiled.get(policy)
  if (rights === undefined) {
    rights = new Map(policyActions.map((each) => [each, new Right(policy.grants, each)]))
    compiled.set(policy, rights)
  }
  return rights.get(action)?.covers(key, prefix) ?? false
}

/** Compiled once per policy, because anonymous requests are cheap to send. */
const compiled = new WeakMap<BucketPolicy, ReadonlyMap<PolicyAction, Right>>()

/** The maximum length of a key in characters. No key has a longer prefix. */
const maxPrefixLength = 1024

/** All grants of one action. */
class Right {
  readonly #isUnconditional: boolean
  readonly #keys: Patterns
  /** Prefixes that match StringEquals, and StringLike if a grant has both. */
  readonly #equal: ReadonlySet<string>
  readonly #like: Patterns

  constructor(grants: readonly PolicyGrant[], action: PolicyAction) {
    const own = grants.filter((grant) => grant.action === action)
    const conditions = own.flatMap(({ prefixes }) => prefixes ?? [])
    this.#isUnconditional = own.some(({ keys, prefixes }) => (keys ?? prefixes) === undefined)
    this.#keys = new Patterns(own.flatMap(({ keys }) => keys ?? []))
    const equal = conditions.flatMap(({ StringEquals: values = [], StringLike = ['*'] }) => {
      const like = new Patterns(StringLike)
      return values.filter((value) => like.match(value))
    })
    this.#equal = new Set(equal)
    const alone = conditions.filter(({ StringEquals }) => StringEquals === undefined)
    this.#like = new Patterns(alone.flatMap(({ StringLike = [] }) => StringLike))
  }

  covers(key: string, prefix: string | undefined): boolean {
    if (this.#isUnconditional || this.#keys.match(key)) return true
    if (prefix === undefined || prefix.length > maxPrefixLength) return false
    return this.#equal.has(prefix) || this.#like.match(prefix)
  }
}

const star = 0x2a
const any = 0x3f

/** Whether a byte of UTF-8 continues a character (RFC 3629 section 3). */
const isContinuation = (byte: number) => byte >> 6 === 0b10

/**
 * Matches patterns with the wildcards `*` (any number of characters) and `?` (one character). Each bit is a position in
 * one pattern, between two bytes of UTF-8, and is set if the text so far can lead there. This matches all patterns of a
 * policy of 20 KB in one pass over the text, and no pattern takes longer than another.
 */
export class Patterns {
  #starts = 0n
  #ends = 0n
  /** The positions of stars. */
  #stars = 0n
  /** The positions after each `?`. */
  #behindAny = 0n
  /** The positions after each byte, by its upper and lower half: 32 sets instead of one for each character. */
  readonly #upper: readonly bigint[]
  readonly #lower: readonly bigint[]

  constructor(patterns: readonly string[]) {
    const upper: bigint[] = Array(16).fill(0n)
    const lower: bigint[] = Array(16).fill(0n)
    let place = 1n
    for (const pattern of patterns) {
      this.#starts |= place
      for (const byte of Buffer.from(pattern)) {
        if (byte === star) {
          this.#stars |= place
          continue
        }
        place <<= 1n
        if (byte === any) this.#behindAny |= place
        else {
          upper[byte >> 4] = (upper[byte >> 4] ?? 0n) | place
          lower[byte & 15] = (lower[byte & 15] ?? 0n) | place
        }
      }
      this.#ends |= place
      place <<= 1n
    }
    this.#upper = upper.map((of, half) => (isContinuation(half << 4) ? of : of | this.#behindAny))
    this.#lower = lower.map((of) => of | this.#behindAny)
  }

  /** Whether the text matches one of them as a whole. */
  match(text: string): boolean {
    let places = this.#starts
    for (const byte of Buffer.from(text)) {
      // After a final star, all other characters match.
      if (places === 0n || (places & this.#stars & this.#ends) !== 0n) break
      const behind = (this.#upper[byte >> 4] ?? 0n) & (this.#lower[byte & 15] ?? 0n)
      // A character of several bytes stays after its `?`.
      const kept = isContinuation(byte) ? this.#stars | this.#behindAny : this.#stars
      places = ((places << 1n) & behind) | (places & kept)
    }
    return (places & this.#ends) !== 0n
  }
}
