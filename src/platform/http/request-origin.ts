import { addressesWithin } from './client-address.ts'
import type { HttpRequest } from './message.ts'

export type OriginOf = (
  request: Pick<HttpRequest, 'headers' | 'isSecure' | 'remoteAddress'>,
) => string | undefined

/** RFC 3986 section 3.2.2, without what is never in a Host header; `_` because containers have it. */
const hostForm = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/

/**
 * Finds the address that a client used, as scheme and host without a path: `https://example.org`.
 * X-Forwarded-Proto and X-Forwarded-Host count only from a trusted proxy, and of several values the
 * last, which is its own. Undefined when the value is missing or not a host.
 *
 * @param trusted addresses and ranges (CIDR) of proxies.
 */
export function originBehind(trusted: readonly string[]): OriginOf {
  const isTrusted = addressesWithin(trusted)
  return ({ headers, isSecure, remoteAddress }) => {
    const isProxied = isTrusted(remoteAddress)
    const told = isProxied ? lastOf(headers['x-forwarded-proto'])?.toLowerCase() : undefined
    const host = (isProxied ? lastOf(headers['x-forwarded-host']) : undefined) ?? headers.host
    return originOf(schemeOf(told, isSecure), host)
  }
}

function schemeOf(told: string | undefined, isSecure: boolean): string {
  if (told === 'http' || told === 'https') return told
  return isSecure ? 'https' : 'http'
}

function originOf(scheme: string, host: string | undefined): string | undefined {
  if (host === undefined || !hostForm.test(host)) return undefined
  const url = `${scheme}://${host}`
  // Ports above 65,535 and invalid addresses.
  return URL.canParse(url) ? new URL(url).origin : undefined
}

function lastOf(field: string | readonly string[] | undefined): string | undefined {
  const last = field?.toString().split(',').at(-1)?.trim()
  return last === '' ? undefined : last
}
