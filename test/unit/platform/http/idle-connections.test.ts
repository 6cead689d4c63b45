import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { ConnectionLimit } from '../../../../src/platform/http/connection-limit.ts'

const limits = {
  ...{ connections: 2, extra: 0, extraMs: 1_000, minIdleMs: 0, minimumRate: 1 },
  ...{ longestLagMs: 1_000, longestStallMs: 1_000, checkEveryMs: 100 },
}

/** A connection as a server has accepted it. */
async function acceptedSocket(t: TestContext): Promise<Socket> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const [socket] = (await once(server, 'connection')) as [Socket]
  t.after(() => {
    client.destroy()
    server.close()
  })
  return socket
}

test('closeIdle ends although a connection was destroyed and its end was not noticed yet', async (t) => {
  const limit = new ConnectionLimit(limits, { onFull: assert.fail, onSlowClient: assert.fail })
  const sockets = [await acceptedSocket(t), await acceptedSocket(t)]
  for (const socket of sockets) assert.equal(limit.admit(socket), true)
  const [first, second] = sockets
  first?.destroy()
  assert.equal(first?.localAddress, undefined)
  limit.closeIdle()
  assert.equal(second?.destroyed, true)
})

test('A connection whose slot was given away is not idle again when its request ends', async (t) => {
  const limit = new ConnectionLimit(limits, { onFull: assert.fail, onSlowClient: assert.fail })
  const socket = await acceptedSocket(t)
  assert.equal(limit.admit(socket), true)
  const slot = limit.slotOf(socket)
  slot?.markBusy({ running: undefined })
  // The same addresses again, before the end of the first connection was noticed.
  assert.equal(limit.admit(socket), true)
  slot?.markIdle()
  limit.closeIdle()
  assert.equal(socket.destroyed, true)
  limit.closeIdle()
})
