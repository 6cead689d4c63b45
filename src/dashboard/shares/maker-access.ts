import type { HttpReply, HttpRequest } from '../../platform/http/message.ts'
import { SizedCache } from '../../platform/process/sized-cache.ts'
import { addressBlock } from '../../platform/state/key-value/attempt-limiter.ts'
import type { AccessKeys, Credential } from '../../storage/access/access-keys.ts'
import { type Identity, isAuthorized } from '../../storage/access/authorize.ts'
import { type Limited, RequestRate } from '../../storage/access/request-rate.ts'
import { neededActions, type Share } from './share.ts'

interface MakerAccessParts {
  readonly keys: Pick<AccessKeys, 'find' | 'ensureCurrent'>
  /** ACCESS_KEY. */
  readonly ownerKey: string
  /** Answers an S3 request with the rights of an access key, which it checks. The limit of the key does not count. */
  readonly s3: (accessKeyId: string, request: HttpRequest) => Promise<HttpReply>
}

/** An S3 request for an object of a share. */
export interface ObjectRequest {
  readonly method: 'GET' | 'HEAD' | 'PUT'
  readonly key: string
  readonly headers: Readonly<Record<string, string>>
  /** Default: that of the visitor's request. */
  readonly body?: HttpRequest['body']
}

/** Whose requests are remembered: one that is forgotten begins with a full allowance. */
const maxVisitors = 10_000

/**
 * Does what visitors ask for with the rights that the maker of the share has at that time: each request for an object
 * is an S3 request of the maker's access key, and is checked, counted and recorded as one.
 */
export class MakerAccess {
  readonly #parts: MakerAccessParts
  readonly #rate = new RequestRate()
  readonly #visitors = new SizedCache<Limited>(maxVisitors)

  constructor(parts: MakerAccessParts) {
    this.#parts = parts
  }

  /** Whether the maker may do what the share does. Undefined if that cannot be checked now. */
  async isAllowed(share: Pick<Share, 'kind' | 'bucket' | 'path' | 'maker'>) {
    if (share.maker !== '' && (await this.#parts.keys.ensureCurrent()) === false) return undefined
    const credential = this.#credentialOf(share)
    if (credential === undefined || credential.refusal !== undefined) return false
    return mayShare(credential.identity, share)
  }

  /**
   * Counts a request of a visitor. Returns the seconds after which the next one is allowed; 0: this one is. Visitors have
   * the limit of the maker's key, each for themselves: they must not use up the maker's.
   */
  takeTurn(share: Pick<Share, 'shareId' | 'maker'>, address: string): number {
    const identity = this.#credentialOf(share)?.identity
    if (identity?.kind !== 'key') return 0
    const { limits } = identity
    const name = `${share.shareId} ${addressBlock(address)}`
    const known = this.#visitors.get(name)
    const visitor = known?.limits === limits ? known : { limits }
    if (visitor !== known) this.#visitors.set(name, visitor)
    return this.#rate.take(visitor)
  }

  /** Answers a request for an object, with the signal and the address of the visitor's. */
  send(
    { bucket, maker }: Pick<Share, 'bucket' | 'maker'>,
    { method, key, headers, body }: ObjectRequest,
    visit: HttpRequest,
  ): Promise<HttpReply> {
    const { ownerKey, s3 } = this.#parts
    const { id, isSecure, remoteAddress, receivedAtMs } = visit
    return s3(maker || ownerKey, {
      ...{ id, method, headers: { ...headers }, isSecure, remoteAddress, receivedAtMs },
      ...{ rawPath: `/${bucket}/${encodeURIComponent(key)}`, rawQuery: '', rawHeaders: [] },
      body: body ?? visit.body,
      get signal() {
        return visit.signal
      },
      // The visitor is not authenticated.
      isKnown: false,
      markKnown: () => undefined,
      acceptBody: () => visit.acceptBody(),
      leaveWithClient: () => visit.leaveWithClient(),
    })
  }

  #credentialOf({ maker }: Pick<Share, 'maker'>): Credential | undefined {
    return this.#parts.keys.find(maker || this.#parts.ownerKey)
  }
}

/** Whether somebody may do what the share does. */
export function mayShare(
  identity: Identity,
  { kind, bucket, path }: Pick<Share, 'kind' | 'bucket' | 'path'>,
): boolean {
  return neededActions[kind].every((action) =>
    isAuthorized(identity, { action, bucket, key: path, isPublic: false }),
  )
}
