import { type Identity, owner } from './identity.ts'

/** What the signature of a request is checked with. */
export interface Credential {
  /** A signature with any of these is valid: two while a secret is being replaced. Not empty. */
  readonly secretKeys: readonly string[]
  readonly identity: Identity
}

/** The access keys that are valid now. */
export interface AccessKeys {
  /** Undefined for an unknown access key. Costs no database call. */
  find(accessKeyId: string): Credential | undefined
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
}
