import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '../support/free-port.ts'
import { MainProcess } from '../support/main-process.ts'
import { absenceOf } from './run-client.ts'

const root = join(import.meta.dirname, '../..')
const skip = absenceOf('prometheus')
const token = 'a-token-of-this-test'

/** The configuration of docs/metrics.md, with the lines for METRICS_TOKEN, for another target. */
function documentedConfiguration(target: string, tokenFile: string): string {
  const document = readFileSync(join(root, 'docs/metrics.md'), 'utf8')
  const [, block = ''] = /^```yaml\n(.*?)^```/ms.exec(document) ?? []
  const used = block
    .replace('127.0.0.1:9100', target)
    .replace(/^ {4}# (authorization:| {2}credentials_file:)/gm, '    $1')
    .replace('/etc/prometheus/bucketry-token', tokenFile)
  assert.match(used, /authorization/)
  return `global:\n  scrape_interval: 1s\n${used}`
}

interface Prometheus {
  query(expression: string): Promise<{ readonly metric: object; readonly value: unknown[] }[]>
}

async function startPrometheus(t: TestContext, folder: string, configuration: string) {
  writeFileSync(join(folder, 'prometheus.yml'), configuration)
  const address = `127.0.0.1:${await freePort()}`
  const child: ChildProcess = spawn(
    'prometheus',
    [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'tsdb')}`,
      `--web.listen-address=${address}`,
    ],
    { stdio: 'ignore' },
  )
  const exit = once(child, 'exit')
  t.after(async () => {
    child.kill('SIGKILL')
    await exit
  })
  const prometheus: Prometheus = {
    async query(expression) {
      const query = new URLSearchParams({ query: expression })
      const reply = await fetch(`http://${address}/api/v1/query?${query}`)
      const answer = (await reply.json()) as { status: string; error?: string; data?: unknown }
      assert.equal(answer.status, 'success', `${expression}: ${answer.error}`)
      return (answer.data as { result: [] }).result
    },
  }
  while ((await fetch(`http://${address}/-/ready`).catch(() => undefined))?.ok !== true) {
    assert.equal(child.exitCode, null)
    await delay(100)
  }
  return prometheus
}

/** Expressions of the dashboard, with the variables that Grafana would fill in. */
function dashboardExpressions(): string[] {
  const text = readFileSync(join(root, 'deploy/monitoring/grafana-dashboard.json'), 'utf8')
  const { panels } = JSON.parse(text) as { panels: { targets?: { expr: string }[] }[] }
  return panels.flatMap(({ targets = [] }) =>
    targets.map(({ expr }) =>
      expr.replaceAll('$__rate_interval', '1m').replace(/\$(?:job|instance)/g, '.*'),
    ),
  )
}

test('Prometheus scrapes as documented, and understands every expression of the dashboard', {
  skip,
  timeout: 120_000,
}, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-prometheus-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const main = new MainProcess(folder, {
    ACCESS_KEY: 'AKEXAMPLE',
    SECRET_KEY: 'hunter2hunter2hunter2',
    ALLOWED_BUCKETS: 'photos',
    ...{ METRICS_PORT: '0', METRICS_TOKEN: token, WORKERS: '2' },
  })
  t.after(() => main.kill())
  await main.url()
  const { port } = await main.line(({ msg }) => msg === 'serving metrics')
  writeFileSync(join(folder, 'token'), token)
  const configuration = documentedConfiguration(`127.0.0.1:${port}`, join(folder, 'token'))
  const { query } = await startPrometheus(t, folder, configuration)
  for (const expression of [
    // Two samples are the least for a rate.
    'count_over_time(up{job="bucketry"}[1m]) >= 3',
    // A scrape that takes longer than a second counts as failed.
    'up{job="bucketry"} == 1',
    'bucketry_workers == 2',
  ]) {
    while ((await query(expression)).length === 0) await delay(200)
  }
  const expressions = dashboardExpressions()
  assert.ok(expressions.length > 30)
  for (const expression of expressions) await query(expression)
  assert.ok((await query('rate(bucketry_process_cpu_seconds_total[1m])')).length > 0)
})
