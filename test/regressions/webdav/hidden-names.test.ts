/** nginx with dav-ext lists no name that begins with a dot. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { buckets } from '../../contract/drive/drive-suite.ts'
import { bucket, getText, listKeys, put } from '../../contract/drive/stored-object.ts'
import { davWorldOn } from '../../contract/webdav-world.ts'
import { absenceOfNginx, startNginx } from '../../support/webdav/nginx.ts'

async function openedOnNginx(t: TestContext) {
  const server = await startNginx(t)
  assert.ok(server)
  const drive = await (await davWorldOn(t, server.url)).open()
  await drive.prepare(buckets)
  return { drive, folder: join(server.root, bucket) }
}

describe('on a server that hides dot files', { skip: absenceOfNginx() }, () => {
  it('keys with a leading dot, and folder objects, are listed and read', async (t) => {
    const { drive, folder } = await openedOnNginx(t)
    const long = `${'n'.repeat(253)}.txt`
    const keys = ['.', '.%', '..', '.git/config', '.hidden', 'a/', 'a/.b', 'a/.b/', 'a/c', long]
    for (const key of keys) await put(drive, key, key)
    assert.deepEqual(await listKeys(drive), keys)
    for (const key of keys) assert.equal(await getText(drive, key), key)
    const onDisk = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    assert.deepEqual(
      onDisk.filter((path) => /(^|\/)\./.test(path)),
      [],
    )
    for (const key of keys) assert.equal((await drive.remove(bucket, key)) !== undefined, true)
    assert.deepEqual(await listKeys(drive), [])
  })

  it('a folder that seems empty keeps files that were added by hand', async (t) => {
    const { drive, folder } = await openedOnNginx(t)
    await put(drive, 'f/k', 'text')
    const byHand = join(folder, 'f/.by-hand')
    writeFileSync(byHand, 'mine')
    await drive.remove(bucket, 'f/k')
    await drive.removeFolder?.(bucket, 'f/')
    assert.ok(existsSync(byHand))
  })
})
