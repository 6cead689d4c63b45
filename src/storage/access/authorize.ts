/** The access that a request needs. */
export interface WantedAccess {
  /** `any`: allowed with any grant for the bucket, such as HeadBucket. */
  readonly action: Action | 'any'
  readonly bucket: string
  /** The object's key. For `list` the prefix; for `manage` and `any` empty. */
  readonly key: string
  /** Whether the bucket allows this to everyone. */
  readonly isPublic: boolean
  /** Whether it is for a version in a bucket with versions. `isPublic` does not include versions. */
  readonly isOfVersion?: boolean
}

/** The only place that decides whether a request is allowed. */
export function isAuthorized(identity: Identity, wanted: WantedAccess): boolean {
  const { isPublic, isOfVersion, action } = wanted
  if (identity.kind === 'owner' || (isPublic && !isOfVersion)) return true
  if (identity.kind === 'anonymous') return false
  const needed = (isOfVersion && versionActions[action]) || [action]
  return needed.every((each) =>
    identity.grants.some((grant) => allows(grant, { ...wanted, action: each })),
  )
}

/** Whether the identity has a right for the bucket that anonymous users do not have. */
export function canSeeBucket(identity: Identity, bucket: string): boolean {
  return isAuthorized(identity, { action: 'any', bucket, key: '', isPublic: false })
}

function allows(
  grant: Grant,
  { action, bucket, key }: Pick<WantedAccess, 'action' | 'bucket' | 'key'>,
): boolean {
  if (grant.bucket !== '*' && grant.bucket !== bucket) return false
  if (action === 'any') return grant.actions.length > 0
  // A prefix limits keys. Who may use only some of the keys cannot manage the bucket.
  return includesAction(grant.actions, action) && key.startsWith(grant.prefix)
}

function includesAction(granted: readonly Action[], action: Action): boolean {
  return granted.includes(action) || (action === 'create' && granted.includes('write'))
}

/** The sender of a request. */
export type Identity = OwnerIdentity | KeyIdentity | AnonymousIdentity

/** The holder of ACCESS_KEY, who has all rights. */
interface OwnerIdentity {
  readonly kind: 'owner'
}

/** Limits of a key. Absent: none. */
export interface KeyLimits {
  /** Requests per second of each process. */
  readonly requestsPerSecond?: number
  /** Bytes in the buckets of its grants together, approximately (docs/buckets.md, "Quota"). */
  readonly bytes?: number
}

/** The holder of an access key that was made at run time. */
export interface KeyIdentity {
  readonly kind: 'key'
  readonly accessKeyId: string
  /** Shown to people, in the log and in messages for the owner. */
  readonly name: string
  readonly grants: readonly Grant[]
  readonly limits: KeyLimits
}

/** The sender of a request without a signature. */
interface AnonymousIdentity {
  readonly kind: 'anonymous'
}

export const owner: OwnerIdentity = { kind: 'owner' }
export const anonymous: AnonymousIdentity = { kind: 'anonymous' }

/** What a grant can allow. */
export const actions = [
  ...(['list', 'read', 'create', 'write', 'delete'] as const),
  ...(['read-version', 'delete-version', 'bypass', 'manage'] as const),
] as const

/**
 * - `list`: list keys
 * - `read`: read objects and their metadata
 * - `create`: create objects where there is none, in one request or in parts
 * - `write`: create and overwrite objects, and change their tags
 * - `delete`: delete objects; in a bucket with versions, their versions stay
 * - `read-version`: list versions, and read them by ID
 * - `delete-version`: remove a version permanently
 * - `bypass`: weaken locks, with `write` or `delete-version`: retentions in mode GOVERNANCE, and legal holds
 * - `manage`: create, configure and remove the bucket
 */
export type Action = (typeof actions)[number]

/**
 * The rights that an action needs in a bucket with versions if the request names a version, the newest one included.
 * Lifecycle rules select by tags what they remove, so changing a former version's tags needs the right to remove it.
 */
const versionActions: Readonly<Partial<Record<Action | 'any', readonly Action[]>>> = {
  list: ['read-version'],
  read: ['read-version'],
  write: ['write', 'delete-version'],
  delete: ['delete-version'],
}

/** A right of an access key. A key may have several; one that allows an action is enough. */
export interface Grant {
  /** The name of a bucket, or `*` for every bucket. */
  readonly bucket: string
  /** Only keys that begin with this. Empty: all keys. */
  readonly prefix: string
  readonly actions: readonly Action[]
}

/** Buckets in grants that do not exist. The grants have no effect until the buckets are created. */
export function unknownBuckets(
  grants: readonly Grant[],
  exists: (bucket: string) => boolean,
): string[] {
  const named = new Set(grants.map(({ bucket }) => bucket))
  return [...named].filter((bucket) => bucket !== '*' && !exists(bucket))
}
