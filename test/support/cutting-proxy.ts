import { once } from 'node:events'
import { connect, createServer } from 'node:net'

interface CuttingProxy {
  readonly port: number
  /** The heads of requests so far. */
  readonly heads: readonly string[]
  close(): void
}

/** A proxy that breaks off the reply to the first request that matches, after so many bytes. */
export async function startCuttingProxy(
  targetPort: number,
  { request, bytes }: { readonly request: RegExp; readonly bytes: number },
): Promise<CuttingProxy> {
  const heads: string[] = []
  const server = createServer((client) => {
    const target = connect(targetPort, '127.0.0.1')
    let left = Number.POSITIVE_INFINITY
    client.on('data', (chunk) => {
      const head = chunk.toString('latin1')
      if (request.test(head) && !heads.some((before) => request.test(before))) left = bytes
      heads.push(head)
      target.write(chunk)
    })
    target.on('data', (chunk) => {
      client.write(chunk.subarray(0, left))
      left -= chunk.length
      if (left <= 0) client.end(() => client.destroy())
    })
    client.on('close', () => target.destroy()).on('error', () => undefined)
    target.on('close', () => client.destroy()).on('error', () => undefined)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    heads,
    close: () => void server.close(),
  }
}
