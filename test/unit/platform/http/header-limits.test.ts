import { test } from 'node:test'
import { startServer, text } from './http-server-fixture.ts'

test('A header section of just under 64 KiB is served', async (t) => {
  const { connect } = await startServer(t, async () => text('handler'))
  const client = await connect()
  client.write(`GET / HTTP/1.1\r\nHost: h\r\nX: ${'x'.repeat(64 * 1024 - 100)}\r\n\r\n`)
  await client.until('handler')
})

for (const [count, answer] of [
  [999, 'handler 1000'],
  [1_000, 'fault headers-too-large'],
  [20_000, 'fault headers-too-large'],
] as const) {
  test(`Of ${count + 1} header fields none is dropped without a word`, async (t) => {
    const { connect } = await startServer(t, async ({ rawHeaders }) =>
      text(`handler ${rawHeaders.length / 2}`),
    )
    const client = await connect()
    client.write(`GET / HTTP/1.1\r\nHost: h\r\n${'a:\r\n'.repeat(count)}\r\n`)
    await client.until(answer)
  })
}

test('An incomplete header section gets a reply, and the connection closes', async (t) => {
  const { connect } = await startServer(t, async () => text('handler'), { headersMs: 100 })
  const client = await connect()
  client.write('GET / HTTP/1.1\r\nHo')
  await client.until('fault header-timeout')
  client.socket.end()
  await client.closed()
})
