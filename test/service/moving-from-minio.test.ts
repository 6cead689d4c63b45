import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { MainProcess } from '../support/main-process.ts'
import { answer } from '../support/wire-case.ts'

/** docs/moving-in.md, "From MinIO". */
test('the environment and command of a MinIO service start the gateway, which has no bucket yet', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-from-minio-'))
  const main = new MainProcess(
    folder,
    { MINIO_ROOT_USER: 'app', MINIO_ROOT_PASSWORD: 'at-least-8-characters', MINIO_BROWSER: 'on' },
    { args: ['server', 'export', '--console-address', ':9001'] },
  )
  t.after(async () => {
    await main.kill()
    rmSync(folder, { recursive: true })
  })
  const url = await main.url()
  const { host } = new URL(url)
  const credentials = {
    ...{ accessKey: 'app', secretKey: 'at-least-8-characters', region: 'us-east-1' },
  }
  const server = { host, credentials }
  const ask = (method: string, target: string, more: object = {}) =>
    answer(server, { title: '', method, target, status: 200, ...more })
  assert.equal((await fetch(`${url}/minio/health/live`)).status, 200)
  await ask('GET', '/', { xml: { ListAllMyBucketsResult: { Buckets: '' } } })
  await ask('HEAD', '/photos', { status: 404 })
  await ask('PUT', '/photos')
  await ask('PUT', '/photos/a/b.txt', { body: 'bytes' })
  await ask('GET', '/photos/a/b.txt', { text: 'bytes' })
  assert.equal(readFileSync(join(folder, 'export/drive/photos/a/b.txt'), 'utf8'), 'bytes')
  const warnings = main.lines.filter(({ level }) => level === 40).map(({ msg }) => msg)
  assert.equal(warnings.filter((text) => text.startsWith('MINIO_ROOT_USER and')).length, 1)
  assert.ok(warnings.some((text) => text.startsWith('MINIO_BROWSER: no effect')))
  assert.ok(warnings.some((text) => text.startsWith('--console-address has no effect')))
  assert.match(main.stderr, /dashboard +off: DASHBOARD_PASSWORD is not set/)
})
