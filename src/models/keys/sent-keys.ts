import { hash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

/** The keys that a client sends, as a bearer token or in x-api-key. */
export function sentKeys(headers: IncomingHttpHeaders): readonly string[] {
  const { authorization = '' } = headers
  const scheme = /^bearer +/i.exec(authorization)?.[0]
  const bearer = scheme === undefined ? '' : authorization.slice(scheme.length)
  return [bearer, headers['x-api-key'] ?? ''].flat().filter((key) => key !== '')
}

/** Compares with a key. Takes the same time for every other key, because digests have equal lengths. */
export function keyComparison(expected: string): (key: string) => boolean {
  const digest = digestOf(expected)
  return (key) => timingSafeEqual(digestOf(key), digest)
}

function digestOf(key: string): Buffer {
  return hash('sha256', key, 'buffer')
}
