import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { codeBlockOf } from '../support/code-blocks.ts'
import { MainProcess } from '../support/main-process.ts'
import { startPostgres } from '../support/start-postgres.ts'
import { startRedis } from '../support/start-redis.ts'

const composeFile = join(import.meta.dirname, '../../compose.postgres.yaml')

test('the settings and secrets of compose.postgres.yaml start a gateway', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-compose-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const [postgres, redis] = [await startPostgres(), await startRedis()]
  if (postgres === undefined || redis === undefined) return t.skip('needs PostgreSQL and Redis')
  t.after(() => postgres.stop())
  t.after(() => redis.stop())
  const commands = codeBlockOf('docs/install.md', 'Docker Compose with PostgreSQL', 'sh')
  execFileSync('bash', ['-ec', `docker() { :; }\n${commands}`], { cwd: folder })
  // The names of the other containers are known only in Docker's network.
  writeFileSync(join(folder, 'secrets/database-url'), await postgres.createDatabase())
  const main = new MainProcess(folder, {
    ...environmentIn(folder),
    AUTH_KV: redis.url,
    DATA_DIR: join(folder, 'data'),
    DRIVE: `file:${join(folder, 'data/drive')}`,
  })
  t.after(() => main.kill())
  const url = await main.url()
  assert.equal((await fetch(`${url}/-/healthz`)).status, 200)
  const password = readFileSync(join(folder, 'secrets/dashboard-password'), 'utf8').trim()
  const passwordHash = createHash('sha256').update(password).digest('hex')
  const login = await fetch(`${url}/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ passwordHash }),
  })
  assert.equal(login.status, 200)
})

/** The environment of the service, with the secrets where the commands have put them. */
function environmentIn(folder: string): Record<string, string> {
  const { services } = parse(readFileSync(composeFile, 'utf8')) as {
    readonly services: { readonly bucketry: { readonly environment: Record<string, string> } }
  }
  const entries = Object.entries(services.bucketry.environment)
  return Object.fromEntries(
    entries.map(([name, value]) => [name, value.replace('/run/secrets', join(folder, 'secrets'))]),
  )
}
