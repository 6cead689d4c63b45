import ipaddr from 'ipaddr.js'
import type { HttpRequest } from './message.ts'

export type OriginOf = (
  request: Pick<HttpRequest, 'headers' | 'isSecure' | 'remoteAddress'>,
) => string | undefined

/** RFC 3986 section 3.2.2, limited to what Host headers contain; `_` because container names do. */
const hostForm = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/

/**
 * Finds the origin that a client used: `https://example.org`. X-Forwarded-Proto and X-Forwarded-Host count only from a
 * trusted proxy, and only their last value, which that proxy has set. Undefined if the host is missing or invalid.
 *
 * @param trusted addresses and ranges (CIDR) of proxies
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

/**
 * Whether a browser sends the request for a page of another origin, according to Sec-Fetch-Site (Fetch Metadata
 * section 2.4), otherwise Origin. Another origin of the same site counts as well, because another port of the host may
 * belong to anyone. False for other clients, which send neither header.
 *
 * @param own the origins of the service. Their scheme is ignored: behind a proxy that terminates TLS, the service may
 *   not know it.
 */
export function isFromOtherOrigin(
  { headers }: Pick<HttpRequest, 'headers'>,
  own: readonly (string | undefined)[],
): boolean {
  const { 'sec-fetch-site': site, origin } = headers
  // `none`: the user did it, for example by typing the address.
  if (site !== undefined) return site !== 'same-origin' && site !== 'none'
  if (origin === undefined) return false
  // `null` is an origin that the browser does not reveal, such as that of a sandboxed frame.
  const host = URL.canParse(origin) ? new URL(origin).host : ''
  return !own.some((address) => address !== undefined && new URL(address).host === host)
}

/**
 * Whether the request may come from a page of another server whose host name now resolves to this machine (DNS
 * rebinding), which gives the page our origin. That is impossible for IP addresses and localhost.
 *
 * @param own the origin that the request names
 */
export function isRebindable(
  { headers }: Pick<HttpRequest, 'headers'>,
  own: string | undefined,
): boolean {
  if (headers['sec-fetch-site'] === undefined && headers.origin === undefined) return false
  const host = own === undefined ? '' : new URL(own).hostname
  return host !== 'localhost' && !ipaddr.isValid(host.replace(/^\[|\]$/g, ''))
}

type ClientAddress = (remoteAddress: string, forwardedFor: string | undefined) => string

/**
 * Finds the client behind trusted proxies: the right-most address of X-Forwarded-For that is not a trusted proxy. The
 * client may have forged everything to its left.
 *
 * @param trusted addresses and ranges (CIDR) of proxies
 */
export function clientAddressBehind(trusted: readonly string[]): ClientAddress {
  if (trusted.length === 0) return (remoteAddress) => remoteAddress
  const isTrusted = addressesWithin(trusted)
  return (remoteAddress, forwardedFor) => {
    let address = remoteAddress
    const hops = forwardedFor?.split(',') ?? []
    while (isTrusted(address)) {
      const hop = addressOfHop(hops.pop() ?? '')
      if (!ipaddr.isValid(hop)) break
      address = hop
    }
    return address
  }
}

/**
 * Some proxies add the port, with brackets around IPv6 (Azure's gateways: `192.0.2.1:51234`); some quote the address, as
 * in Forwarded (RFC 7239 section 6).
 */
const hopForm = /^"?(?:\[(?<bracketed>[^\]]*)\](?::\d+)?|(?<v4>[\d.]+)(?::\d+)?|(?<plain>[^"]*))"?$/

function addressOfHop(hop: string): string {
  const { bracketed, v4, plain } = hopForm.exec(hop.trim())?.groups ?? {}
  return bracketed ?? v4 ?? plain ?? ''
}

/** Returns a test for addresses that equal or are within any of these addresses and ranges (CIDR). */
export function addressesWithin(addresses: readonly string[]): (address: string) => boolean {
  const ranges = addresses.map(parseRange)
  return (address) => isWithin(address, ranges)
}

type Range = readonly [address: ipaddr.IPv4 | ipaddr.IPv6, bits: number]

function parseRange(text: string): Range {
  if (text.includes('/')) return ipaddr.parseCIDR(text)
  // `process` turns ::ffff:10.0.0.1 into 10.0.0.1, as for the addresses that are compared.
  const address = ipaddr.process(text)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}

function isWithin(text: string, ranges: readonly Range[]): boolean {
  if (!ipaddr.isValid(text)) return false
  const address = ipaddr.process(text)
  return ranges.some(
    ([range, bits]) => range.kind() === address.kind() && address.match(range, bits),
  )
}
