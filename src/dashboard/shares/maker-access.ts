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
  /**
   * Answers an S3 request with the rights of an access key, and checks them. The request limit of the key does not
   * apply.
   */
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

/**
 * The maximum number of visitors whose request rates are remembered. A forgotten visitor starts again with a full
 * allowance.
 */
const maxVisitors = 10_000

/**
 * Answers visitors with the current rights of the share's maker: each request for an object is an S3 request of the
 * maker's access key, and is checked, counted and recorded as such.
 */
export class MakerAccess {
  readonly #parts: MakerAccessParts
  readonly #rate = new RequestRate()
  readonly #visitors = new SizedCache<Limited>(maxVisitors)

  constructor(parts: MakerAccessParts) {
    this.#parts = parts
  }

  /** Whether the maker has the rights that the share needs. Undefined if they cannot be checked at the moment. */
  async isAllowed(share: Pick<Share, 'kind' | 'bucket' | 'path' | 'maker'>) {
    if (share.maker !== '' && (await this.#parts.keys.ensureCurrent()) === false) return undefined
    const credential = this.#credentialOf(share)
    if (credential === undefined || credential.refusal !== undefined) return false
    return mayShare(credential.identity, share)
  }

  /**
   * Counts a visitor's request. Returns the seconds to wait before the next attempt; 0: the request is allowed. The
   * request limit of the maker's key applies to each visitor separately, so that visitors cannot use up the maker's
   * own.
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

  /** Answers a request for an object, with the signal and the address of the visitor's request. */
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

/** Whether an identity has the rights that the share needs. */
export function mayShare(
  identity: Identity,
  { kind, bucket, path }: Pick<Share, 'kind' | 'bucket' | 'path'>,
): boolean {
  return neededActions[kind].every((action) =>
    isAuthorized(identity, { action, bucket, key: path, isPublic: false }),
  )
}
