import ipaddr from 'ipaddr.js'

type ClientAddress = (remoteAddress: string, forwardedFor: string | undefined) => string

/**
 * Finds the client behind trusted proxies: the right-most address of X-Forwarded-For that is not
 * itself a trusted proxy, since the client may have forged everything left of it.
 *
 * @param trusted addresses and ranges (CIDR) of proxies.
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
 * Some proxies add the port (Azure's gateways: `192.0.2.1:51234`), and then brackets around IPv6; some
 * quote it, as RFC 7239 section 6 has it for Forwarded.
 */
const hopForm = /^"?(?:\[(?<bracketed>[^\]]*)\](?::\d+)?|(?<v4>[\d.]+)(?::\d+)?|(?<plain>[^"]*))"?$/

function addressOfHop(hop: string): string {
  const { bracketed, v4, plain } = hopForm.exec(hop.trim())?.groups ?? {}
  return bracketed ?? v4 ?? plain ?? ''
}

/** Matches addresses that are in any of these addresses and ranges (CIDR). */
export function addressesWithin(addresses: readonly string[]): (address: string) => boolean {
  const ranges = addresses.map(parseRange)
  return (address) => isWithin(address, ranges)
}

type Range = readonly [address: ipaddr.IPv4 | ipaddr.IPv6, bits: number]

function parseRange(text: string): Range {
  if (text.includes('/')) return ipaddr.parseCIDR(text)
  // `process` turns ::ffff:10.0.0.1 into 10.0.0.1, the form it is compared in.
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
