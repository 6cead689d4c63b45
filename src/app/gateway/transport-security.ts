import type { HttpReply, HttpRequest } from '../../platform/http/message.ts'

const oneYear = 31_536_000

/** Not includeSubDomains: other programs of the domain may have no TLS. */
const field = ['Strict-Transport-Security', `max-age=${oneYear}`] as const

/**
 * The reply of a port with TLS, with the field that makes browsers use HTTPS for this host from now on
 * (RFC 6797). It holds for all ports of a host, so `localhost` is left out: other programs that a
 * developer runs there would be asked for HTTPS, too. Browsers ignore it for IP addresses.
 */
export function withTransportSecurity(
  reply: HttpReply,
  headers: HttpRequest['headers'],
): HttpReply {
  if (isLocalhost(headers.host ?? '')) return reply
  return { ...reply, headers: [...reply.headers, field] }
}

function isLocalhost(host: string): boolean {
  const name = host.replace(/:\d*$/, '').toLowerCase()
  return name === 'localhost' || name.endsWith('.localhost')
}
