import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

const secret = 'a secret of the receiver'

interface SentRecord {
  readonly eventName: string
  readonly userIdentity: { readonly principalId: string }
  readonly responseElements: { readonly 'x-amz-request-id': string }
  readonly s3: {
    readonly configurationId: string
    readonly object: {
      readonly key: string
      readonly size?: number
      readonly eTag?: string
      readonly versionId?: string
      readonly sequencer: string
    }
  }
}

/** A receiver that checks signatures. `statuses` are those of its first replies; then it answers 200. */
export async function startEventReceiver(t: TestContext, statuses: number[] = []) {
  const records: SentRecord[] = []
  let refused = 0
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray())
    const expected = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
    assert.equal(request.headers['x-bucketry-signature-256'], expected)
    const status = statuses.shift() ?? 200
    if (status === 200) records.push(...JSON.parse(body.toString()).Records)
    else refused += 1
    response.writeHead(status).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const settings = {
    NOTIFY_WEBHOOK: `http://127.0.0.1:${port}/events`,
    NOTIFY_WEBHOOK_SECRET: secret,
  }
  const names = () => records.map(({ eventName, s3 }) => `${eventName} ${s3.object.key}`)
  return { settings, records, names, refused: () => refused }
}
