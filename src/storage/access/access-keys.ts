import { type Identity, owner } from './identity.ts'

/** What the signature of a request is checked with. */
export interface Credential {
  /** A signature with any of these is valid: two while a secret is being replaced. Not empty. */
  readonly secretKeys: readonly string[]
  readonly identity: Identity
  /** Why the key is not valid now, for a client that has its secret. */
  readonly refusal?: string
}

/** The access keys that are valid now. */
export interface AccessKeys {
  /** Undefined for an unknown access key. Costs no database call. */
  find(accessKeyId: string): Credential | undefined
  /**
   * For a request whose identity is that of an access key, before it is trusted. Undefined, at no cost, if what
   * `find` returned is current; otherwise `find` has to be asked again. Resolves with false if keys cannot be
   * confirmed.
   */
  ensureCurrent(): Promise<boolean> | undefined
  /** Notes that an access key was used. */
  noteUse(accessKeyId: string): void
}

/** The access key of the settings, ACCESS_KEY and SECRET_KEY. */
export class OwnerKey implements AccessKeys {
  readonly #accessKeyId: string
  readonly #credential: Credential

  constructor({
    accessKey,
    secretKey,
  }: { readonly accessKey: string; readonly secretKey: string }) {
    this.#accessKeyId = accessKey
    this.#credential = { secretKeys: [secretKey], identity: owner }
  }

  find(accessKeyId: string): Credential | undefined {
    return accessKeyId === this.#accessKeyId ? this.#credential : undefined
  }
  /** The settings do not change. */
  ensureCurrent(): undefined {
    return undefined
  }

  noteUse(): void {
    // Only uses of access keys of the database are recorded.
  }
}
