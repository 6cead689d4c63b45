import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ConnectError } from '../../command.ts'
import { type Consent, consentCodeOf } from './consent.ts'

/** A local server for one request: Google redirects the browser to it after consent. */
export interface RedirectServer {
  readonly redirectUri: string
  /** Resolves with the code. Rejects with ConnectError when access is denied. */
  readonly code: Promise<string>
  close(): Promise<void>
}

/**
 * Starts the server on 127.0.0.1 (RFC 8252 section 7.3: loopback, any port).
 *
 * @param port 0 for a free one.
 */
export async function startRedirectServer(consent: Consent, port: number): Promise<RedirectServer> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  // The caller may be waiting for a pasted address instead.
  promise.catch(() => undefined)
  const answering = new Set<ServerResponse>()
  const server = createServer({ requestTimeout: 10_000 }, ({ method, url }, response) => {
    answering.add(response)
    response.once('close', () => answering.delete(response))
    const target = URL.parse(url ?? '', 'http://127.0.0.1')
    if (method !== 'GET' || target?.pathname !== '/') {
      answer(response, 404, 'Not found.')
      return
    }
    try {
      const code = consentCodeOf(consent, target)
      if (code === undefined) {
        answer(response, 400, 'Unexpected response. Start again.')
        return
      }
      answer(response, 200, 'Bucketry now has access. You can close this page.')
      resolve(code)
    } catch (error) {
      answer(response, 200, 'Access was not granted. See the terminal for details.')
      reject(error)
    }
  })
  await listen(server, port)
  const { port: taken } = server.address() as AddressInfo
  return {
    redirectUri: `http://127.0.0.1:${taken}`,
    code: promise,
    async close() {
      const closed = once(server, 'close')
      server.close()
      await Promise.all([...answering].map((response) => once(response, 'close')))
      // Browsers keep spare connections that have sent no request.
      server.closeAllConnections()
      await closed
    },
  }
}

async function listen(server: Server, port: number): Promise<void> {
  server.listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw new ConnectError(`Can't listen on 127.0.0.1 port ${port} (${code}).`, { cause })
  }
}

/** Sends no referrer: the page's address contains the code, which must not reach other pages. */
function answer(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'content-security-policy': "default-src 'none'",
    connection: 'close',
  })
  response.end(`${text}\n`)
}
