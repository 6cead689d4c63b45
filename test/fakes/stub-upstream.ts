import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request to a stub. */
type StubRequest = Pick<IncomingMessage, 'method' | 'url' | 'headers'>

/** An upstream on loopback with the answers of a test. */
export interface StubUpstream {
  readonly origin: string
  /** The requests that it received, in order. */
  readonly requests: readonly StubRequest[]
  /** The number of connections opened to it. */
  connections(): number
  close(): Promise<void>
}

export async function startStub(answer: RequestListener): Promise<StubUpstream> {
  const requests: StubRequest[] = []
  let connections = 0
  const server = createServer((request, response) => {
    const { method, url, headers } = request
    requests.push({ method, url, headers })
    answer(request, response)
  })
  server.on('connection', () => connections++)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    connections: () => connections,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Answers 200 with JSON. */
export function answering(content: unknown): RequestListener {
  return (_request, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(content))
  }
}
