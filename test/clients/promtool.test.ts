import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { testCredentials } from '../support/gateway-process.ts'
import { MainProcess } from '../support/main-process.ts'
import { signedFetch } from '../support/signed-fetch.ts'
import { absenceOf } from './run-client.ts'

const root = join(import.meta.dirname, '../..')
const skip = absenceOf('promtool')

function promtool(args: readonly string[], input = ''): void {
  execFileSync('promtool', args, { cwd: root, input, stdio: 'pipe', timeout: 60_000 })
}

test('promtool accepts the alert rules and passes their tests', { skip }, () => {
  promtool(['check', 'rules', 'deploy/monitoring/alerts.yaml'])
  promtool(['test', 'rules', 'deploy/monitoring/alerts.test.yaml'])
})

for (const WORKERS of ['1', '2']) {
  test(`promtool accepts the metrics of ${WORKERS} workers`, { skip }, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'bucketry-promtool-'))
    t.after(() => rmSync(folder, { recursive: true, force: true }))
    const main = new MainProcess(folder, {
      ACCESS_KEY: testCredentials.accessKey,
      SECRET_KEY: testCredentials.secretKey,
      ALLOWED_BUCKETS: 'photos',
      ...{ METRICS_PORT: '0', WORKERS },
    })
    t.after(() => main.kill())
    const server = { host: new URL(await main.url()).host, credentials: testCredentials }
    for (const method of ['PUT', 'GET', 'DELETE', 'GET']) {
      const body = method === 'PUT' ? { body: 'bytes' } : {}
      const reply = await signedFetch(server, { method, target: '/photos/k', ...body })
      await reply.arrayBuffer()
    }
    const { port } = await main.line(({ msg }) => msg === 'serving metrics')
    const reply = await fetch(`http://127.0.0.1:${port}/metrics`)
    promtool(['check', 'metrics'], await reply.text())
  })
}
