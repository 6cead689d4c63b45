import ipaddr from 'ipaddr.js'
import type { HttpRequest } from './message.ts'

/**
 * Whether a browser sends the request for a page of another origin, by Sec-Fetch-Site (Fetch Metadata
 * section 2.4) or else by Origin. Pages of the same site count as others: what listens on another
 * port of the same host may belong to anyone. False for clients that are not browsers: they send
 * neither.
 *
 * @param own the addresses of the service, as origins. Their scheme does not
 * count: behind a proxy that ends TLS the service may not know it.
 */
export function isFromOtherOrigin(
  { headers }: Pick<HttpRequest, 'headers'>,
  own: readonly (string | undefined)[],
): boolean {
  const { 'sec-fetch-site': site, origin } = headers
  // `none`: the user did it, such as by typing the address.
  if (site !== undefined) return site !== 'same-origin' && site !== 'none'
  if (origin === undefined) return false
  // `null` is an origin that the browser does not reveal, such as a sandboxed frame's.
  const host = URL.canParse(origin) ? new URL(origin).host : ''
  return !own.some((address) => address !== undefined && new URL(address).host === host)
}

/**
 * Whether a browser may send the request for a page elsewhere whose host name was pointed at this machine
 * (DNS rebinding), so that the page has our origin. Nobody can do that with an address or with localhost.
 *
 * @param own the address that the request names, as an origin.
 */
export function isRebindable(
  { headers }: Pick<HttpRequest, 'headers'>,
  own: string | undefined,
): boolean {
  if (headers['sec-fetch-site'] === undefined && headers.origin === undefined) return false
  const host = own === undefined ? '' : new URL(own).hostname
  return host !== 'localhost' && !ipaddr.isValid(host.replace(/^\[|\]$/g, ''))
}
