import type { Action, Grant } from './grants.ts'
import type { Identity } from './identity.ts'

/** What a request wants to do. */
export interface WantedAccess {
  /** `any`: what every key with a grant for the bucket may do, such as HeadBucket. */
  readonly action: Action | 'any'
  readonly bucket: string
  /** The object's key. For `list` the prefix; for `manage` and `any` empty. */
  readonly key: string
  /** Whether the bucket allows this to everyone. */
  readonly isPublic: boolean
}

/** The only place that decides whether a request is allowed. */
export function isAuthorized(identity: Identity, wanted: WantedAccess): boolean {
  if (identity.kind === 'owner' || wanted.isPublic) return true
  if (identity.kind === 'anonymous') return false
  return identity.grants.some((grant) => allows(grant, wanted))
}

/** Whether the identity has any right for the bucket that not everyone has. */
export function canSeeBucket(identity: Identity, bucket: string): boolean {
  return isAuthorized(identity, { action: 'any', bucket, key: '', isPublic: false })
}

function allows(grant: Grant, { action, bucket, key }: WantedAccess): boolean {
  if (grant.bucket !== '*' && grant.bucket !== bucket) return false
  if (action === 'any') return grant.actions.length > 0
  // A prefix limits keys. Who may use only some of the keys cannot manage the bucket.
  return grant.actions.includes(action) && key.startsWith(grant.prefix)
}
