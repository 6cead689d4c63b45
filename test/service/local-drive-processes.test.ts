import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openDatabase } from '../../src/platform/state/open-database.ts'
import { openLocalDrive } from '../../src/storage/drives/local/local-drive.ts'
import { DatabaseFileRecords } from '../../src/storage/drives/local/objects/file-record-table.ts'
import {
  attributesOf,
  bucket,
  get,
  listKeys,
  log,
  put,
} from '../unit/storage/drives/local/open-drive.ts'
import { tempFolder } from '../unit/storage/drives/local/temp-folder.ts'

const script = join(import.meta.dirname, '../unit/storage/drives/local/writer-process.ts')
const racers = 3

async function openShared(t: TestContext) {
  const root = tempFolder(t)
  const database = await openDatabase(
    { kind: 'sqlite', path: join(root, 'records.db') },
    { migrate: true },
  )
  const records = new DatabaseFileRecords(database)
  const open = async () => {
    const drive = await openLocalDrive({ root: join(root, 'drive'), records, log })
    await drive.prepare([bucket])
    return drive
  }
  const drive = await open()
  t.after(async () => {
    await drive.close()
    await records.close()
    await database.close()
  })
  return { root, drive, open }
}

interface Running {
  readonly child: ChildProcess
  readonly lines: string[]
  readonly ended: Promise<unknown>
}

function start(t: TestContext, args: readonly string[]): Running {
  const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines: string[] = []
  let rest = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\n')
    rest = parts.pop() ?? ''
    lines.push(...parts)
  })
  t.after(() => child.kill('SIGKILL'))
  return { child, lines, ended: once(child, 'close') }
}

/** Runs the task in several processes at once; what each returned. */
async function race(t: TestContext, task: string, root: string): Promise<number[]> {
  const all = Array.from({ length: racers }, (_, index) => start(t, [task, root, `p${index}`, '3']))
  return await Promise.all(
    all.map(async ({ child, lines, ended }) => {
      await ended
      assert.equal(child.exitCode, 0)
      return Number(lines.at(-1)?.replace('result ', ''))
    }),
  )
}

test('publish with ifMatch by several processes loses no update', async (t) => {
  const { root, drive } = await openShared(t)
  await put(drive, 'counter', '0')
  const added = await race(t, 'count', root)
  const sum = added.reduce((all, one) => all + one, 0)
  assert.ok(sum > 0)
  assert.equal((await get(drive, 'counter'))?.text, String(sum))
})

test("publish with ifNoneMatch '*' by several processes lets one in at a time", async (t) => {
  const { root, drive } = await openShared(t)
  const taken = await race(t, 'take', root)
  assert.ok(taken.reduce((all, one) => all + one, 0) > 0)
  assert.deepEqual(await listKeys(drive), [])
})

test('keys beside folders of their name survive several processes', async (t) => {
  const { root, drive } = await openShared(t)
  const rounds = await race(t, 'churn', root)
  assert.ok(Math.min(...rounds) > 0)
  assert.deepEqual(await listKeys(drive), [])
  assert.deepEqual(fs.readdirSync(join(root, 'drive', bucket)), [])
})

test('what was acknowledged survives SIGKILL, whole and with its attributes', async (t) => {
  const { root, open } = await openShared(t)
  for (let round = 0; round < 6; round++) {
    const { child, lines, ended } = start(t, ['write', root, `r${round}`])
    while (lines.length < 8) await new Promise((resolve) => setTimeout(resolve, 5))
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 150))
    child.kill('SIGKILL')
    await ended
    const drive = await open()
    for (const key of await listKeys(drive)) {
      const found = await get(drive, key)
      assert.equal(found?.etag, attributesOf(found?.text ?? '').etag, key)
    }
    for (const key of ['a', 'a/b', 'large']) {
      const acknowledged = lines.findLast((line) => line.startsWith(`put ${key} `))
      const [name, version] = (await get(drive, key))?.text.split(' ') ?? []
      assert.equal(name, `r${round}`)
      assert.ok(Number(version) >= Number(acknowledged?.split(' ').at(-1)), `${key} ${version}`)
    }
    const own = join(root, 'drive', '.bucketry')
    assert.equal(fs.readdirSync(join(own, 'tmp')).length, 1, 'the dead process is swept')
    for (const prefix of ['', 'deep/']) {
      const entries = await drive.list(bucket, { prefix, after: '', delimiter: '/' }).next(100)
      for (const { key } of entries.filter(({ kind }) => kind === 'folder')) {
        const [first] = await drive.list(bucket, { prefix: key, after: '' }).next(1)
        assert.ok(first, `${key} outlived its objects`)
      }
    }
    await put(drive, 'large', 'after the crash')
    await drive.close()
  }
})
