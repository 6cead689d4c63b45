import { hash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

/** What a request's credentials are to the key that the list asks for. */
export type KeyVerdict = 'right' | 'wrong' | 'missing'

/**
 * Checks the key of MODELS_API_KEY, sent as a bearer or as x-api-key; one of them that is right is
 * enough. Without a key the list is open and whatever was sent is right.
 */
export function createKeyCheck(
  expected: string | undefined,
): (headers: IncomingHttpHeaders) => KeyVerdict {
  if (expected === undefined) return () => 'right'
  const digest = digestOf(expected)
  return (headers) => {
    const sent = sentKeys(headers)
    if (sent.length === 0) return 'missing'
    // Digests have one length, so that the comparison takes as long for every key.
    return sent.some((key) => timingSafeEqual(digestOf(key), digest)) ? 'right' : 'wrong'
  }
}

function sentKeys(headers: IncomingHttpHeaders): readonly string[] {
  const { authorization = '' } = headers
  const scheme = /^bearer +/i.exec(authorization)?.[0]
  const bearer = scheme === undefined ? '' : authorization.slice(scheme.length)
  return [bearer, headers['x-api-key'] ?? ''].flat().filter((key) => key !== '')
}

function digestOf(key: string): Buffer {
  return hash('sha256', key, 'buffer')
}
