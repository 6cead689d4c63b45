import type { HttpRequest } from './message.ts'

/**
 * Whether a browser sends the request for a page of another origin, by Sec-Fetch-Site (Fetch Metadata
 * section 2.4) or else by Origin. Pages of the same site count as others: what listens on another
 * port of the same host may be anybody's. False for clients that are no browsers: they send neither.
 *
 * @param own the addresses that the service is reached at, as origins. Of these the scheme does not
 * count: behind a proxy that ends TLS the service may not know it.
 */
export function isFromOtherOrigin(
  { headers }: Pick<HttpRequest, 'headers'>,
  own: readonly (string | undefined)[],
): boolean {
  const { 'sec-fetch-site': site, origin } = headers
  // `none`: the person did it, such as by typing the address.
  if (site !== undefined) return site !== 'same-origin' && site !== 'none'
  if (origin === undefined) return false
  // `null` stands for an origin that the browser does not tell, such as a sandboxed frame's.
  const host = URL.canParse(origin) ? new URL(origin).host : ''
  return !own.some((address) => address !== undefined && new URL(address).host === host)
}
