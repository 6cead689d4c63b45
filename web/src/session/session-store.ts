import { Store } from '../ui/store.ts'

/** none: not signed in. expired: was signed in and has to sign in again. */
export type SessionStatus = 'none' | 'active' | 'expired'

/** The required part of the browser's Storage. */
export interface SessionStorage {
  getItem(key: string): string | null
  setItem(key: string, value: string): void
  removeItem(key: string): void
}

interface SessionStoreParts {
  /** Shared by the tabs of a browser, so that a new tab is already signed in. */
  readonly storage: () => SessionStorage
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

interface Session {
  readonly token: string
  readonly expiresAtMs: number
}

export const sessionKey = 'bucketry.session'

/** Stored instead of a session that has expired: only a sign-out removes the entry. */
const expiredMark = 'expired'

/** The session of this browser. Objects of the same origin are sandboxed and cannot read it. */
export class SessionStore extends Store<SessionStatus> {
  readonly #parts: SessionStoreParts
  #session: Session | undefined
  #reason: string | undefined

  constructor(parts: SessionStoreParts) {
    super('none')
    this.#parts = parts
    this.#session = this.#read()
    if (this.#session !== undefined) this.publish('active')
  }

  get status(): SessionStatus {
    return this.snapshot()
  }

  /** Undefined without a session, or after its expiry time. */
  get token(): string | undefined {
    const session = this.#session
    if (session === undefined) return undefined
    if (session.expiresAtMs > this.#parts.now()) return session.token
    this.expire(session.token)
    return undefined
  }

  /** Why the session is over, if it did not just expire. */
  get reason(): string | undefined {
    return this.#reason
  }

  begin(token: string, expiresInSeconds: number): void {
    const session = { token, expiresAtMs: this.#parts.now() + expiresInSeconds * 1_000 }
    this.#write(session)
    this.#set(session, 'active')
  }

  /** Called when the service rejects this token. Ignored if it is not the current token. */
  expire(token: string, reason?: string): void {
    if (this.#session?.token !== token) return
    this.#reason = reason
    // Another tab may have signed in since.
    const stored = this.#read()
    const isRenewed = stored !== undefined && stored.token !== token
    if (!isRenewed) this.#write(expiredMark)
    this.#set(isRenewed ? stored : undefined, isRenewed ? 'active' : 'expired')
  }

  end(): void {
    this.#write(undefined)
    this.#set(undefined, 'none')
  }

  /** Called when another tab has signed in or out, or has found the session expired. */
  reload(): void {
    const stored = this.#read()
    if (stored !== undefined) {
      if (stored.token !== this.#session?.token) this.#set(stored, 'active')
    } else if (this.#isEnded()) {
      if (this.status !== 'none') this.#set(undefined, 'none')
    } else if (this.status === 'active') this.#set(undefined, 'expired')
  }

  #set(session: Session | undefined, status: SessionStatus): void {
    this.#session = session
    this.publish(status)
  }

  #read(): Session | undefined {
    try {
      const stored: unknown = JSON.parse(this.#parts.storage().getItem(sessionKey) ?? 'null')
      return isSession(stored) && stored.expiresAtMs > this.#parts.now() ? stored : undefined
    } catch {
      // Storage is not available: the session lasts as long as the page.
      return undefined
    }
  }

  /** Whether a tab has signed out, rather than found the session expired. */
  #isEnded(): boolean {
    try {
      return this.#parts.storage().getItem(sessionKey) === null
    } catch {
      return false
    }
  }

  #write(session: Session | typeof expiredMark | undefined): void {
    try {
      const storage = this.#parts.storage()
      if (session === undefined) storage.removeItem(sessionKey)
      else storage.setItem(sessionKey, JSON.stringify(session))
    } catch {
      // Storage is not available.
    }
  }
}

function isSession(value: unknown): value is Session {
  if (typeof value !== 'object' || value === null) return false
  const { token, expiresAtMs } = value as Record<string, unknown>
  return typeof token === 'string' && typeof expiresAtMs === 'number'
}

export const sessionStore = new SessionStore({
  storage: () => globalThis.localStorage,
  now: Date.now,
})
