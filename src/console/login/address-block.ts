import ipaddr from 'ipaddr.js'

const blockBits = 64

/**
 * What failed logins are counted by: an IPv4 address, or the first 64 bits of an IPv6 address, since
 * one customer has at least that many (RFC 6177 section 2) and could else take a new one for each try.
 */
export function addressBlock(address: string): string {
  if (!ipaddr.isValid(address)) return 'unknown'
  // `process` turns ::ffff:192.0.2.1 into 192.0.2.1: one client, however the socket was opened.
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  const bytes = parsed.toByteArray().slice(0, blockBits / 8)
  return `${Buffer.from(bytes).toString('hex')}/${blockBits}`
}
