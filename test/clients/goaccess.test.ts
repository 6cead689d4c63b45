import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { startGatewayProcess, testBucket } from '../support/gateway-process.ts'
import { RawConnection } from '../support/raw-connection.ts'
import { signedFetch, targetOf } from '../support/signed-fetch.ts'
import { absenceOf } from './run-client.ts'

/** The parts of goaccess's JSON report that the test reads. */
interface Report {
  readonly general: Readonly<Record<string, number>>
  readonly requests: { readonly data: readonly { readonly data: string }[] }
}

/** Text that would end a field or a line if it were written as it came. */
const hostile = 'a "b" \\" [c] \t é %22 %0a'

test('goaccess accepts every line of the S3 access log, of hostile requests too', {
  skip: absenceOf('goaccess'),
}, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-goaccess-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const log = join(folder, 'access.log')
  const gateway = await startGatewayProcess({
    folder,
    settings: { ACCESS_LOG_FORMAT: 's3', ACCESS_LOG_FILE: log },
  })
  t.after(() => gateway.kill())
  const keys = ['plain', 'with space and "quotes"', `${'ä'.repeat(500)}`, 'line\nbreak\\']
  for (const key of keys) {
    const target = targetOf(testBucket, key)
    assert.equal((await signedFetch(gateway, { method: 'PUT', target, body: 'x' })).status, 200)
    assert.equal((await signedFetch(gateway, { method: 'GET', target })).status, 200)
  }
  await fetch(`${gateway.url}/${testBucket}/unsigned`)
  const connection = await RawConnection.open(gateway.port)
  const head = `GET /photos/${'k'.repeat(20_000)}?"=\\ HTTP/1.1`
  const fields = [`Host: ${gateway.host}`, `User-Agent: ${hostile}`, `Referer: ${hostile}`]
  connection.write(`${[head, ...fields, 'Connection: close'].join('\r\n')}\r\n\r\n`)
  await connection.closed()
  await gateway.stop()

  const lines = readFileSync(log, 'latin1').trimEnd().split('\n')
  assert.equal(lines.length, 2 * keys.length + 2)
  const report = join(folder, 'report.json')
  const options = ['--no-global-config', '--log-format=AWSS3', '--no-progress', '-o', report]
  execFileSync('goaccess', [log, ...options], {
    cwd: folder,
    env: { HOME: folder, PATH: '/usr/bin' },
  })
  const { general, requests } = JSON.parse(readFileSync(report, 'utf8')) as Report
  assert.equal(general.failed_requests, 0)
  assert.equal(general.valid_requests, lines.length)
  assert.ok(requests.data.some(({ data }) => data.includes('plain')))
})
