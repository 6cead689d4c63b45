import type { TestContext } from 'node:test'
import type { Outcome } from '../../../../src/platform/http/exchange.ts'
import type { HttpHandler, HttpReply, HttpRequest } from '../../../../src/platform/http/message.ts'
import { HttpServer, type HttpServerOptions } from '../../../../src/platform/http/server.ts'
import { RawConnection } from '../../../support/raw-connection.ts'

export interface Fixture {
  readonly server: HttpServer
  readonly port: number
  /** What became of each request, in the order in which they finished. */
  readonly outcomes: (Outcome & { readonly rawPath: string })[]
  /** Resolves when `count` requests have finished. */
  finished(count: number): Promise<void>
  connect(): Promise<RawConnection>
}

/** A server on a free port that the test's end stops. Faults are answered as `fault NAME`. */
export async function startServer(
  t: TestContext,
  handler: HttpHandler,
  options: Partial<HttpServerOptions> = {},
): Promise<Fixture> {
  const outcomes: Fixture['outcomes'] = []
  const connections: RawConnection[] = []
  let wake: () => void = () => undefined
  const server = new HttpServer({
    handler,
    renderFault: (fault, id) => ({
      status: fault === 'internal' ? 500 : 400,
      headers: [['x-amz-request-id', id]],
      body: `fault ${fault}`,
    }),
    onFinish: (request: HttpRequest, outcome: Outcome) => {
      outcomes.push({ ...outcome, rawPath: request.rawPath })
      wake()
    },
    ...options,
  })
  const port = await server.listen({ port: 0, host: '127.0.0.1' })
  t.after(async () => {
    for (const connection of connections) connection.destroy()
    await server.stop(100)
  })
  return {
    server,
    port,
    outcomes,
    async finished(count) {
      while (outcomes.length < count) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
    async connect() {
      const connection = await RawConnection.open(port)
      connections.push(connection)
      return connection
    },
  }
}

export function text(body: string, status = 200): HttpReply {
  return { status, headers: [['Content-Type', 'text/plain']], body }
}
