import { createHash } from 'node:crypto'
import type { HttpRequest } from '../../platform/http/message.ts'
import type { Sealer } from '../../platform/state/sealer.ts'
import { type Share, sharesBase } from './share.ts'

interface CookieToSet {
  readonly token: string
  /** What the visitor has done, such as entering the password or starting a download. */
  readonly what: string
  readonly seconds: number
  readonly isSecure: boolean
}

/**
 * Records in cookies what a browser has done with a share, so that no process has to remember it. The cookies are
 * valid only for the address of the share and cannot be forged.
 */
export class ShareCookies {
  readonly #sealer: Sealer
  readonly #now: () => number

  /** @param now milliseconds since the epoch */
  constructor(sealer: Sealer, now: () => number) {
    this.#sealer = sealer
    this.#now = now
  }

  has({ headers }: HttpRequest, { shareId }: Share, what: string): boolean {
    const beginning = `${nameOf(what)}=`
    const cookies = (headers.cookie ?? '').split(';').map((cookie) => cookie.trim())
    const value = cookies.find((cookie) => cookie.startsWith(beginning))?.slice(beginning.length)
    const untilMs = value && this.#sealer.open(value, `${shareId} ${what}`)
    return Number(untilMs || 0) > this.#now()
  }

  /** A Set-Cookie field. */
  set({ shareId }: Share, { token, what, seconds, isSecure }: CookieToSet) {
    const untilMs = String(this.#now() + seconds * 1_000)
    const value = this.#sealer.seal(untilMs, `${shareId} ${what}`)
    const attributes = `Path=${sharesBase}${token}; Max-Age=${seconds}; HttpOnly; SameSite=Lax`
    const secure = isSecure ? '; Secure' : ''
    return ['Set-Cookie', `${nameOf(what)}=${value}; ${attributes}${secure}`] as const
  }
}

/** Each download has its own cookie. */
function nameOf(what: string): string {
  return `s${createHash('sha256').update(what).digest('hex').slice(0, 8)}`
}
