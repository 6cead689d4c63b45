import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openDatabase } from '../../../../src/state/open-database.ts'
import { backup, restore } from '../../../../src/wiring/commands/backup.ts'

test('A restore creates DATA_DIR for its owner only, as a start does', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-restore-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const environmentIn = (name: string) => ({
    ...{ ACCESS_KEY: 'me', SECRET_KEY: '0123456789abcdef', ALLOWED_BUCKETS: 'test' },
    DATA_DIR: join(folder, name),
  })
  const path = join(folder, 'old/bucketry.db')
  await (await openDatabase({ kind: 'sqlite', path }, { migrate: true })).close()
  const file = join(folder, 'backup')
  await backup({ environment: environmentIn('old'), buckets: undefined, file })
  await restore({ environment: environmentIn('new'), buckets: undefined, file })
  assert.equal(statSync(join(folder, 'new')).mode & 0o777, 0o700)
})
