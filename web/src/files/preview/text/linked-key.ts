import { objectPath } from '../../entries/object-address.ts'

/** Reserved by RFC 2606: no host has this name. */
const here = 'http://object.invalid'

/** The key that a relative address in an object refers to; undefined if the address is elsewhere. */
export function linkedKey(address: string, key: string): string | undefined {
  const base = here + objectPath('', key).slice(1)
  if (address.startsWith('#') || !URL.canParse(address, base)) return undefined
  const url = new URL(address, base)
  if (url.origin !== here) return undefined
  try {
    return decodeURIComponent(url.pathname.slice(1)) || undefined
  } catch {
    // Not UTF-8.
    return undefined
  }
}
