import type { KeyLimits } from './access-key.ts'
import type { Grant } from './grants.ts'

/** On whose behalf a request is made. */
export type Identity = OwnerIdentity | KeyIdentity | AnonymousIdentity

/** The holder of ACCESS_KEY, who may do everything. */
interface OwnerIdentity {
  readonly kind: 'owner'
}

/** The holder of an access key that was made at run time. */
export interface KeyIdentity {
  readonly kind: 'key'
  readonly accessKeyId: string
  /** For people, in the log and in messages for the owner. */
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
