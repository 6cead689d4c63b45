import type { HttpRequest } from '../../platform/http/message.ts'
import { addressesWithin, clientAddressBehind } from '../../platform/http/origin.ts'
import type { Log } from '../../platform/process/log.ts'
import type { Settings } from '../settings/read-settings.ts'

/** Anyone can send the header, so stored addresses and log lines are limited. */
const maxAddresses = 10

/** After that many, one further address is reported per interval. */
const everyMs = 60 * 60_000

/** Calls `call` once for each address: for the first ten addresses, and after that for one an hour. */
export function onceEach(
  call: (address: string) => void,
  now: () => number = () => performance.now(),
): (address: string) => void {
  const known = new Set<string>()
  let namedAtMs = Number.NEGATIVE_INFINITY
  return (address) => {
    if (known.has(address)) return
    if (known.size >= maxAddresses) {
      if (now() - namedAtMs < everyMs) return
      const [oldest = ''] = known
      known.delete(oldest)
    }
    namedAtMs = now()
    known.add(address)
    call(address)
  }
}

/** Looks for proxies that TRUST_PROXY does not name. */
export function untrustedProxyWatch(
  { trustProxy }: Pick<Settings, 'trustProxy'>,
  onFound: (address: string) => void,
): { onRequest(record: { readonly request: HttpRequest }): void } {
  const isTrusted = addressesWithin(trustProxy)
  const found = onceEach(onFound)
  return {
    onRequest({ request: { headers, remoteAddress } }) {
      if (headers['x-forwarded-for'] === undefined) return
      if (!isTrusted(remoteAddress)) found(remoteAddress)
    },
  }
}

/** Logs what to do about a proxy that TRUST_PROXY does not name. */
export function warnOfUntrustedProxy(log: Log, address: string): void {
  log.warn(
    { proxy: address },
    `ignored X-Forwarded-For from ${address}, which is not in TRUST_PROXY. If this is your proxy, set TRUST_PROXY=${address}: otherwise all clients behind the proxy count as one, and five failed logins lock all of them out.`,
  )
}

/** Finds the address of the client that sent a request, behind the proxies of TRUST_PROXY. */
export function clientOf({
  trustProxy,
}: Pick<Settings, 'trustProxy'>): (request: HttpRequest) => string {
  const clientAddress = clientAddressBehind(trustProxy)
  return ({ remoteAddress, headers }) =>
    clientAddress(remoteAddress, headers['x-forwarded-for']?.toString())
}
