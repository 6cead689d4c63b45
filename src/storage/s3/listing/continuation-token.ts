import { invalidArgument } from '../errors.ts'

/** Tokens of other versions are refused, so a changed form can't be misread. */
const version = 1

/** An opaque token for the page after a key or common prefix. */
export function encodeContinuationToken(after: string): string {
  return Buffer.from(JSON.stringify([version, after])).toString('base64url')
}

/**
 * The key or common prefix that a token stands for.
 *
 * @throws S3Error InvalidArgument for anything but a token issued by this service.
 */
export function decodeContinuationToken(token: string): string {
  const after = /^[A-Za-z0-9_-]+$/.test(token) ? parseToken(token) : undefined
  if (after !== undefined) return after
  throw invalidArgument('continuation-token', token, 'The continuation token provided is incorrect')
}

function parseToken(token: string): string | undefined {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(token, 'base64url').toString())
    if (!Array.isArray(parsed) || parsed.length !== 2 || parsed[0] !== version) return undefined
    return typeof parsed[1] === 'string' ? parsed[1] : undefined
  } catch {
    // Not JSON, so not a token of this service.
    return undefined
  }
}
