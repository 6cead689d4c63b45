import ipaddr from 'ipaddr.js'

const blockBits = 64

/**
 * The unit for counting failed logins: an IPv4 address, or the first 64 bits of an IPv6 address.
 * One customer has at least a /64 (RFC 6177 section 2) and could otherwise use a new address for
 * each attempt.
 */
export function addressBlock(address: string): string {
  if (!ipaddr.isValid(address)) return 'unknown'
  // `process` turns ::ffff:192.0.2.1 into 192.0.2.1, so that both forms count as one client.
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  const bytes = parsed.toByteArray().slice(0, blockBits / 8)
  return `${Buffer.from(bytes).toString('hex')}/${blockBits}`
}
