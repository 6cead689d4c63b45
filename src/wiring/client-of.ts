import { clientAddressBehind } from '../http/client-address.ts'
import type { HttpRequest } from '../http/message.ts'
import type { Settings } from './settings/read-settings.ts'

/** Finds the address of the client that sent a request, behind the proxies of TRUST_PROXY. */
export function clientOf({
  trustProxy,
}: Pick<Settings, 'trustProxy'>): (request: HttpRequest) => string {
  const clientAddress = clientAddressBehind(trustProxy)
  return ({ remoteAddress, headers }) =>
    clientAddress(remoteAddress, headers['x-forwarded-for']?.toString())
}
