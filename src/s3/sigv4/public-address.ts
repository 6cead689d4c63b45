/** The address of the gateway behind a proxy: the parts of PUBLIC_URL that clients sign. */
export interface PublicAddress {
  /** Value of the Host header that clients sign. */
  readonly host: string
  /** What the proxy removes from the path; empty when it removes nothing. */
  readonly prefix: string
  /** Whether a value of the Host header is that of PUBLIC_URL, with or without the default port. */
  isHost(value: string): boolean
}

const defaultPorts: Readonly<Record<string, string>> = { 'http:': ':80', 'https:': ':443' }

let last: { readonly url: string; readonly address: PublicAddress } | undefined

/** Undefined without a PUBLIC_URL. */
export function publicAddress(url: string | undefined): PublicAddress | undefined {
  if (url === undefined) return undefined
  if (last?.url !== url) last = { url, address: read(url) }
  return last.address
}

function read(url: string): PublicAddress {
  const { protocol, host, pathname, port } = new URL(url)
  const withPort = port === '' ? host + (defaultPorts[protocol] ?? '') : host
  return {
    host,
    prefix: pathname === '/' ? '' : pathname,
    isHost: (value) => {
      const received = value.toLowerCase()
      return received === host || received === withPort
    },
  }
}
