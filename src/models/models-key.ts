import { hash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

/** How the credentials of a request compare to the required key. */
export type KeyVerdict = 'right' | 'wrong' | 'missing'

/**
 * Checks the key of MODELS_API_KEY, sent as a bearer token or as x-api-key; one correct key is
 * enough. Without MODELS_API_KEY the list is open and any credentials are accepted.
 */
export function createKeyCheck(
  expected: string | undefined,
): (headers: IncomingHttpHeaders) => KeyVerdict {
  if (expected === undefined) return () => 'right'
  const digest = digestOf(expected)
  return (headers) => {
    const sent = sentKeys(headers)
    if (sent.length === 0) return 'missing'
    // Digests have equal lengths, so that the comparison takes the same time for every key.
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
