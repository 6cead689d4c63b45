import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { verify } from '../../../../../src/app/cli/commands/verify.ts'
import { readSettings } from '../../../../../src/app/settings/read-settings.ts'
import { openService } from '../../../../../src/app/start/service.ts'
import { createLog } from '../../../../../src/app/telemetry/log.ts'

const asRoot = { skip: process.getuid?.() === 0 ? false : 'only root may give files away' }

test(
  'bucketry verify as root leaves nothing that the service could not remove',
  asRoot,
  async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'bucketry-verify-'))
    t.after(() => rmSync(folder, { recursive: true }))
    const environment = {
      ...{ ACCESS_KEY: 'me', SECRET_KEY: '0123456789abcdef', ALLOWED_BUCKETS: 'photos' },
      DATA_DIR: folder,
    }
    const log = createLog('silent', { write: () => undefined })
    const role = { kind: 'primary', onDriveLost: () => undefined } as const
    await (await openService(await readSettings(environment), log, role)).close()
    execFileSync('chown', ['-R', '10001:10001', folder])
    const call = { environment, buckets: undefined, operands: ['photos'], options: { json: true } }
    const status = await verify(call, { write: () => undefined })
    assert.equal(status, 0)
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    assert.ok(
      names.some((name) => name.includes('.bucketry')),
      names.join(),
    )
    const ofRoot = names.filter((name) => statSync(join(folder, name)).uid !== 10_001)
    assert.deepEqual(ofRoot, [])
  },
)
