import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openPassword } from '../../../../src/app/start/dashboard-password.ts'

function folderWith(t: TestContext, text: string) {
  const dataDir = mkdtempSync(join(tmpdir(), 'bucketry-password-'))
  t.after(() => rmSync(dataDir, { recursive: true }))
  const path = join(dataDir, 'bucketry.env')
  writeFileSync(path, text, { mode: 0o600 })
  return { dataDir, path }
}

const fromFile = ['ACCESS_KEY', 'DASHBOARD_PASSWORD']

test('a password in the environment cannot be changed', () => {
  const password = openPassword({ dashboardPassword: 'given', dataDir: '/none', fromFile: [] })
  assert.equal(password.current(), 'given')
  assert.equal(password.change, undefined)
})

test('a new password is in the file, whose other lines stay, and applies at once', async (t) => {
  const { dataDir, path } = folderWith(t, '# mine\nACCESS_KEY=AK\nDASHBOARD_PASSWORD=old\n')
  const password = openPassword({ dashboardPassword: 'old', dataDir, fromFile })
  assert.equal(password.current(), 'old')
  await password.change?.('a $new one')
  assert.equal(password.current(), 'a $new one')
  assert.equal(
    readFileSync(path, 'utf8'),
    "# mine\nACCESS_KEY=AK\nDASHBOARD_PASSWORD='a $new one'\n",
  )
  assert.equal(statSync(path).mode & 0o777, 0o600)
})

test('another process uses the new password at once, and keeps it while the file has none', async (t) => {
  const { dataDir, path } = folderWith(t, 'DASHBOARD_PASSWORD=old\n')
  const settings = { dashboardPassword: 'old', dataDir, fromFile }
  const [one, other] = [openPassword(settings), openPassword(settings)]
  assert.equal(other.current(), 'old')
  await one.change?.('the new one')
  assert.equal(other.current(), 'the new one')
  for (const disturb of [() => writeFileSync(path, ''), () => rmSync(path)]) {
    disturb()
    assert.equal(other.current(), 'the new one')
  }
})

test('a file that cannot be written says so, and the password stays', async (t) => {
  const { dataDir } = folderWith(t, 'DASHBOARD_PASSWORD=old\n')
  const password = openPassword({ dashboardPassword: 'old', dataDir, fromFile })
  await assert.rejects(async () => password.change?.("it's"), /bucketry\.env can't be written/)
  assert.equal(password.current(), 'old')
})
