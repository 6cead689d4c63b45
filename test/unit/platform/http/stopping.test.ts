import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StreamBody } from '../../../../src/platform/http/message.ts'
import { freePort } from '../../../support/free-port.ts'
import { RawConnection } from '../../../support/raw-connection.ts'
import { startServer, text } from './http-server-fixture.ts'

test('Stopping closes idle connections and lets a running request finish', async (t) => {
  let release: () => void = () => undefined
  let started: () => void = () => undefined
  const isRunning = new Promise<void>((resolve) => {
    started = resolve
  })
  const { connect, server } = await startServer(t, async (request) => {
    if (request.rawPath === '/slow') {
      await new Promise<void>((resolve) => {
        release = resolve
        started()
      })
    }
    return text('done')
  })
  const idle = await connect()
  idle.write('GET / HTTP/1.1\r\nHost: h\r\n\r\n')
  await idle.until('done')
  const busy = await connect()
  busy.write('GET /slow HTTP/1.1\r\nHost: h\r\n\r\n')
  await isRunning
  const stopped = server.stop(10_000)
  await idle.closed()
  assert.equal(busy.isClosed, false)
  release()
  const received = await busy.closed()
  assert.match(received, /Connection: close[\s\S]*done$/)
  assert.equal(await stopped, true)
})

test('Stopping answers the next request on a connection that was just used, and closes it', async (t) => {
  let finish: () => void = () => undefined
  const slowly: StreamBody = {
    length: 4,
    async lend(borrow) {
      await borrow(Buffer.from('la'))
      await new Promise<void>((resolve) => {
        finish = resolve
      })
      await borrow(Buffer.from('te'))
    },
    close: async () => undefined,
  }
  const { connect, server } = await startServer(t, async ({ rawPath }) =>
    rawPath === '/slow' ? { status: 200, headers: [], body: slowly } : text('done'),
  )
  const idle = await connect()
  idle.write('GET / HTTP/1.1\r\nHost: h\r\n\r\n')
  await idle.until('done')
  const busy = await connect()
  busy.write('GET /slow HTTP/1.1\r\nHost: h\r\n\r\n')
  await busy.until('la')
  const stopped = server.stop(10_000)
  idle.write('GET / HTTP/1.1\r\nHost: h\r\n\r\n')
  assert.match(await idle.closed(), /done[\s\S]*Connection: close[\s\S]*done$/)
  // The head of this reply has promised to keep the connection.
  finish()
  await busy.until('late')
  busy.write('GET / HTTP/1.1\r\nHost: h\r\n\r\n')
  assert.match(await busy.closed(), /late[\s\S]*Connection: close[\s\S]*done$/)
  assert.equal(await stopped, true)
})

test('Stopping serves one request on a connection that was only just accepted, then closes it', async (t) => {
  let release: () => void = () => undefined
  let started: () => void = () => undefined
  const isRunning = new Promise<void>((resolve) => {
    started = resolve
  })
  const { connect, server } = await startServer(t, async (request) => {
    if (request.rawPath === '/slow') {
      started()
      await new Promise<void>((resolve) => {
        release = resolve
      })
    }
    return text('done')
  })
  const busy = await connect()
  busy.write('GET /slow HTTP/1.1\r\nHost: h\r\n\r\n')
  const fresh = await connect()
  fresh.write('GET / HTTP/1.1\r\n')
  await isRunning
  const stopped = server.stop(10_000)
  fresh.write('Host: h\r\n\r\n')
  assert.match(await fresh.closed(), /Connection: close[\s\S]*done$/)
  release()
  await busy.closed()
  assert.equal(await stopped, true)
})

test('Stopping closes connections that do not finish within the grace time', async (t) => {
  let started: () => void = () => undefined
  const isRunning = new Promise<void>((resolve) => {
    started = resolve
  })
  const { connect, server } = await startServer(t, () => {
    started()
    return new Promise(() => undefined)
  })
  const client = await connect()
  client.write('GET / HTTP/1.1\r\nHost: h\r\n\r\n')
  await isRunning
  assert.equal(await server.stop(50), false)
  assert.equal(await client.closed(), '')
})

test('Stopping does not wait for a connection that has sent nothing', async (t) => {
  const { server, connect } = await startServer(t, async () => text('hello'), { minIdleMs: 1 })
  const silent = await connect()
  assert.equal(await server.stop(10_000), true)
  assert.equal(await silent.closed(), '')
})

test('A further address is served the same way, and closed with the server', async (t) => {
  let release: () => void = () => undefined
  let started: () => void = () => undefined
  const isRunning = new Promise<void>((resolve) => {
    started = resolve
  })
  const { server } = await startServer(t, async ({ rawPath }) => {
    if (rawPath === '/slow') {
      await new Promise<void>((resolve) => {
        release = resolve
        started()
      })
    }
    return text('done')
  })
  const port = await freePort()
  await server.listenAlso({ host: '127.0.0.1', port })
  const url = `http://127.0.0.1:${port}`
  assert.equal(await (await fetch(`${url}/quick`)).text(), 'done')
  const slow = fetch(`${url}/slow`)
  await isRunning
  const stopped = server.stop(10_000)
  await assert.rejects(RawConnection.open(port))
  release()
  assert.equal(await (await slow).text(), 'done')
  assert.equal(await stopped, true)
})

test('A further address that is in use is an error', async (t) => {
  const { server, port } = await startServer(t, async () => text('done'))
  await assert.rejects(server.listenAlso({ host: '127.0.0.1', port }), { code: 'EADDRINUSE' })
})
