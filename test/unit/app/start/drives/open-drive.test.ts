import assert from 'node:assert/strict'
import fs from 'node:fs'
import { PassThrough } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { readSettings } from '../../../../../src/app/settings/read-settings.ts'
import { openDrive } from '../../../../../src/app/start/drives/open-drive.ts'
import { createLog } from '../../../../../src/app/telemetry/log.ts'
import { openTestDatabase } from '../../../dashboard/management/management-fixture.ts'
import { tempFolder } from '../../../storage/drives/local/temp-folder.ts'

/** Opens a folder whose file system has neither hard links nor syncs of folders. Returns what is logged. */
async function logged(t: TestContext, kind: 'primary' | 'worker') {
  const folder = tempFolder(t)
  const fails = (code: string) => () => Promise.reject(Object.assign(new Error(code), { code }))
  t.mock.method(fs.promises, 'link', fails('EPERM'))
  const { open } = fs.promises
  t.mock.method(fs.promises, 'open', async (path: string, flags: number) => {
    const handle = await open(path, flags)
    handle.sync = fails('EINVAL')
    return handle
  })
  const settings = await readSettings({
    ...{ ACCESS_KEY: 'AKEXAMPLE', SECRET_KEY: 'hunter2hunter2hunter2', ALLOWED_BUCKETS: 'photos' },
    DRIVE: `file:${folder}`,
  })
  const [own] = settings.drives
  assert.ok(own)
  const output = new PassThrough({ encoding: 'utf8' })
  const opened = await openDrive({
    ...{ settings, own, database: await openTestDatabase(t), log: createLog('info', output) },
    ...{ claim: async () => undefined, now: Date.now, role: { kind }, versioning: undefined },
  })
  await opened.close()
  const lines: string[] = (output.read() ?? '').split('\n').filter(Boolean)
  const entries = lines.map((line) => JSON.parse(line))
  for (const entry of entries) assert.equal(entry.folder, folder)
  return entries.map(({ level, missing, msg }) => ({ level, missing, msg }))
}

test('The primary logs what the file system of a folder lacks', async (t) => {
  const [links, sync, ...more] = await logged(t, 'primary')
  assert.deepEqual([links?.level, links?.missing], [30, 'hard-links'])
  assert.deepEqual([sync?.level, sync?.missing], [40, 'folder-fsync'])
  assert.match(
    sync?.msg,
    /^A folder can't be synced to the disk \(EINVAL\)\. .* see docs\/fleet\.md\.$/,
  )
  assert.deepEqual(more, [])
})

test('Workers do not test the file system', async (t) => {
  assert.deepEqual(await logged(t, 'worker'), [])
})
