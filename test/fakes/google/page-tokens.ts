import { randomBytes } from 'node:crypto'
import type { FileRecord } from './file-record.ts'
import { invalidValue } from './google-error.ts'

/** Where a listing continues. */
export interface PageCursor {
  /** What was asked for: a token is good for the same question only. */
  readonly question: string
  readonly ids: readonly string[]
  /** The files as the question sees them. */
  readonly records: () => ReadonlyMap<string, FileRecord>
  readonly position: number
  /** The page was left empty already. */
  readonly isAfterEmpty: boolean
}

const keptTokens = 10_000

/** Tokens of further pages. They can be used again, as with Drive. */
export class PageTokens {
  readonly #cursors = new Map<string, PageCursor>()

  issue(cursor: PageCursor): string {
    const token = `~!!~${randomBytes(24).toString('base64url')}`
    this.#cursors.set(token, cursor)
    const oldest = this.#cursors.keys().next().value
    if (this.#cursors.size > keptTokens && oldest !== undefined) this.#cursors.delete(oldest)
    return token
  }

  /** @throws GoogleError when the token is not one of this question. */
  redeem(token: string, question: string): PageCursor {
    const cursor = this.#cursors.get(token)
    if (cursor?.question !== question) throw invalidValue('pageToken')
    return cursor
  }

  /** Tokens that are out are not taken any more. */
  expire(): void {
    this.#cursors.clear()
  }
}
