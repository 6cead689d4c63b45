import { hash } from 'node:crypto'

/**
 * Replaces a text of any length and characters in an index: PostgreSQL's indexes accept at most some
 * 2,700 bytes and no NUL. Equal texts have equal digests; their order is lost.
 */
export function textDigest(text: string): string {
  return hash('sha256', text, 'base64url')
}
