import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { connectionsWithin } from '../../src/app/start/serving.ts'
import { MainProcess } from '../support/main-process.ts'
import { RawConnection } from '../support/raw-connection.ts'

const openFiles = 256
const required = {
  ACCESS_KEY: 'AKEXAMPLE',
  SECRET_KEY: 'hunter2hunter2',
  ALLOWED_BUCKETS: 'photos',
  DASHBOARD_PASSWORD: 'open sesame',
}

test('A gateway with too few descriptors for its clients does not start, and says why', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-start-'))
  const main = new MainProcess(folder, required, { openFiles: openFiles - 1 })
  t.after(async () => {
    await main.kill()
    rmSync(folder, { recursive: true })
  })
  assert.equal(await main.ended(), 1)
  assert.match(
    main.stderr,
    /^The limit of open files is 255, but at least 256 are required: raise .*\n$/,
  )
})

test('A gateway with few descriptors refuses connections before it runs out of them', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-start-'))
  const main = new MainProcess(folder, { ...required, WORKERS: '1' }, { openFiles })
  t.after(async () => {
    await main.kill()
    rmSync(folder, { recursive: true })
  })
  const { port } = new URL(await main.url())
  const open = async (request: string, reply: string) => {
    const connection = await RawConnection.open(Number(port))
    t.after(() => connection.destroy())
    connection.write(request)
    return connection.until(reply)
  }
  // Loads the login, so that the ten seconds for a body are not spent on that.
  await open('GET /auth/session HTTP/1.1\r\nHost: h\r\n\r\n', '}')
  const busy =
    'POST /auth/login HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n'
  const limit = connectionsWithin(openFiles)
  await Promise.all(Array.from({ length: limit - 1 }, () => open(busy, '100 Continue')))
  await new Promise((resolve) => setTimeout(resolve, 1_100))
  // The connection that asked for the session makes room for this one.
  await open(busy, '100 Continue')
  const refused = await open('GET /photos/k HTTP/1.1\r\nHost: h\r\n\r\n', '</Error>')
  assert.match(refused, /^HTTP\/1\.1 503 [\s\S]*<Code>SlowDown<\/Code>/)
  const { maxConnections } = await main.line(({ msg }) => msg.startsWith('all connections'))
  assert.equal(maxConnections, limit)
})
