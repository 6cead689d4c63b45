import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import type { Duplex } from 'node:stream'
import { pipeline } from 'node:stream'
import { TLSSocket } from 'node:tls'
import { makeCertificate } from '../../support/certificates.ts'

/** Hosts of Google that lead to the emulator. */
const hosts = ['www.googleapis.com', 'oauth2.googleapis.com']

export interface TlsProxy {
  /** For HTTPS_PROXY. */
  readonly url: string
  /** The certificate authority that clients must trust. */
  readonly caFile: string
  /** Hosts that were asked for and that lead nowhere. */
  readonly refused: readonly string[]
  close(): Promise<void>
}

/**
 * Stands where Google's hosts would be, for clients that know no other address: a CONNECT proxy
 * (RFC 9110 section 9.3.6) that terminates TLS with its own certificate and forwards the rest.
 *
 * @param folder for the certificates.
 */
export async function startTlsProxy(emulatorUrl: string, folder: string): Promise<TlsProxy> {
  const names = hosts.map((host) => `DNS:${host}`)
  const { caFile, certFile, keyFile } = makeCertificate(folder, names)
  const certificate = { cert: readFileSync(certFile), key: readFileSync(keyFile) }
  const emulator = new URL(emulatorUrl)
  const refused: string[] = []
  const open = new Set<Duplex>()
  const server = createServer((_request, response) => response.writeHead(405).end())
  server.on('connect', ({ url = '' }, socket: Duplex) => {
    open.add(socket)
    socket.on('close', () => open.delete(socket))
    if (!hosts.some((host) => url === `${host}:443`)) {
      refused.push(url)
      socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
      return
    }
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
    // HTTP/2 is not offered: the emulator speaks HTTP/1.1 only.
    const inner = new TLSSocket(socket as TLSSocket, { isServer: true, ...certificate })
    const outer = connect(Number(emulator.port), emulator.hostname)
    // Either end closes the other. The error has no receiver.
    pipeline(inner, outer, () => undefined)
    pipeline(outer, inner, () => undefined)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    caFile,
    refused,
    async close() {
      for (const socket of open) socket.destroy()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
