import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { type GatewayProcess, startGatewayProcess } from '../support/gateway-process.ts'
import { linesOf, runVerify } from '../support/run-verify.ts'
import { signedFetch } from '../support/signed-fetch.ts'
import { startArguments } from '../support/start-command.ts'

const run = promisify(execFile)
const objectsBefore = 60
const writers = 4

/** Writes objects with metadata until told to stop; resolves with the keys that were acknowledged. */
function startWriting(gateway: GatewayProcess, name: string) {
  const keys: string[] = []
  let isStopping = false
  let wake: () => void = () => undefined
  const done = (async () => {
    while (!isStopping) {
      const key = `${name}/${keys.length}`
      const headers = { 'content-type': 'text/x-test', 'x-amz-meta-key': key }
      const target = `/photos/${key}`
      const reply = await signedFetch(gateway, { method: 'PUT', target, headers, body: key })
      assert.equal(reply.status, 200)
      keys.push(key)
      wake()
    }
  })()
  return {
    keys,
    async untilWritten(count: number): Promise<void> {
      while (keys.length < count) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
    async stop(): Promise<void> {
      isStopping = true
      await done
    },
  }
}

test('A backup made while four clients write is restored elsewhere, with all metadata until then', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-backup-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'original'))
  const original = await startGatewayProcess({ folder: join(folder, 'original') })
  t.after(() => original.kill())
  const clients = Array.from({ length: writers }, (_, index) => startWriting(original, `${index}`))
  await Promise.all(clients.map((client) => client.untilWritten(objectsBefore)))
  const written = clients.flatMap(({ keys }) => [...keys])
  const file = join(folder, 'backup.gz')
  const env = { PATH: process.env.PATH, ...original.environment }
  await run(process.execPath, [...startArguments(), 'backup', file], { env })
  await Promise.all(clients.map((client) => client.stop()))
  await original.stop()
  const all = clients.flatMap(({ keys }) => keys)
  assert.ok(all.length > written.length, 'objects were written during the backup')

  const elsewhere = join(folder, 'elsewhere')
  cpSync(original.driveFolder, join(elsewhere, 'drive'), {
    recursive: true,
    preserveTimestamps: true,
  })
  const settings = {
    DRIVE: `file:${join(elsewhere, 'drive')}`,
    DATABASE_URL: `sqlite:${join(elsewhere, 'state.db')}`,
  }
  const restoreEnv = { ...env, ...settings }
  await run(process.execPath, [...startArguments(), 'restore', file], { env: restoreEnv })
  const restored = await startGatewayProcess({ folder: elsewhere })
  t.after(() => restored.kill())
  for (const key of all) {
    const reply = await signedFetch(restored, { method: 'GET', target: `/photos/${key}` })
    assert.equal(await reply.text(), key)
    if (!written.includes(key)) continue
    assert.equal(reply.headers.get('content-type'), 'text/x-test', key)
    assert.equal(reply.headers.get('x-amz-meta-key'), key)
  }
  const report = await runVerify(
    { folder: elsewhere, environment: { ...restored.environment } },
    'photos',
    '--json',
  )
  const [summary] = linesOf(report).filter(({ kind }) => kind === 'summary')
  assert.equal(report.status, 0)
  assert.ok((summary?.verified ?? 0) >= written.length)
  assert.equal(summary?.mismatch, 0)
})
