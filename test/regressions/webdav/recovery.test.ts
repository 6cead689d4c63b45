/** How the next process recovers the interrupted work of a dead one. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import type { Drive } from '../../../src/storage/drives/drive.ts'
import { buckets } from '../../contract/drive/drive-suite.ts'
import { bucket, getText, listKeys, put, rejectsAs } from '../../contract/drive/stored-object.ts'
import { UploadSession } from '../../contract/drive/upload-session.ts'
import { type DavWorld, davWorldOn, deadTmp, leaveLease } from '../../contract/webdav-world.ts'
import { type Nextcloud, startNextcloud } from '../../fakes/nextcloud/start-nextcloud.ts'

interface World extends DavWorld {
  readonly server: Nextcloud
}

async function worldOf(t: TestContext): Promise<World> {
  const server = await startNextcloud(t)
  return { server, ...(await davWorldOn(t, server.url)) }
}

/** Another process of the drive. */
async function openDrive(world: World): Promise<Drive> {
  const drive = await world.open()
  await drive.prepare(buckets)
  return drive
}

/** Leaves the state of a process that died before it moved its file to the key. */
async function leaveWrite(world: World, key: string): Promise<void> {
  world.server.otherClient.put(`${deadTmp}/new`, Buffer.from('new'))
  const path = [...deadTmp.split('/'), 'new']
  await leaveLease(world, `${bucket}/${key}`, { bucket, key, path })
}

/** Leaves the state of a process that died after it moved this folder aside, with these files. */
async function leaveRemoval(world: World, name: string, files: readonly string[]): Promise<void> {
  for (const file of files) {
    world.server.otherClient.put(`.bucketry/aside/x/${file}`, Buffer.from('old'))
  }
  const folder = [bucket, ...name.split('/')]
  const note = { key: `${name}/x`, folder, inner: [], aside: ['.bucketry', 'aside', 'x'] }
  await leaveLease(world, folder.join('/'), note)
}

async function notesLeft({ leases }: World): Promise<unknown[]> {
  return await leases.endedWithNote(Date.now() + 60_000, 10_000)
}

describe('a process that died while it removed a bucket', () => {
  for (const next of ['addBucket', 'removeBucket'] as const) {
    it(`had moved the folder, with a new file: ${next} moves it back`, async (t) => {
      const world = await worldOf(t)
      const drive = await openDrive(world)
      await drive.addBucket('added')
      world.server.otherClient.remove('added')
      world.server.otherClient.put('.bucketry/aside/x/k', Buffer.from('kept'))
      const note = { key: '', folder: ['added'], inner: [], aside: ['.bucketry', 'aside', 'x'] }
      await leaveLease(world, 'added', note)
      if (next === 'addBucket') await drive.addBucket('added')
      else await rejectsAs(drive.removeBucket('added'), 'not-empty')
      assert.deepEqual(await listKeys(drive, {}, 'added'), ['k'])
      assert.deepEqual(await notesLeft(world), [])
    })
  }
})

describe('a process that died in the middle of a write', () => {
  for (const when of ['at start', 'when the object is asked for'] as const) {
    it(`after the old object was removed: the new one takes its place ${when}`, async (t) => {
      const world = await worldOf(t)
      const running = await openDrive(world)
      await leaveWrite(world, 'k')
      const drive = when === 'at start' ? await world.open() : running
      if (when === 'at start') await drive.prepare(buckets)
      assert.equal(await getText(drive, 'k'), 'new')
      assert.deepEqual(await listKeys(drive), ['k'])
      await put(drive, 'k', 'newer')
      assert.equal(await getText(drive, 'k'), 'newer')
    })
  }

  it('before its MOVE: the object stays, and the new bytes are swept', async (t) => {
    const world = await worldOf(t)
    const first = await openDrive(world)
    await put(first, 'k', 'old')
    await leaveWrite(world, 'k')
    const drive = await openDrive(world)
    assert.equal(await getText(drive, 'k'), 'old')
    const left = world.server.otherClient.list('.bucketry/tmp')
    assert.deepEqual(
      left.filter((path) => path.includes('new')),
      [],
    )
  })

  it('before its MOVE, and whose upload took another part since: its bytes are no object', async (t) => {
    const world = await worldOf(t)
    const drive = await openDrive(world)
    world.server.otherClient.put(`${deadTmp}/new`, Buffer.from('part 1, part 2'))
    const path = [...deadTmp.split('/'), 'new']
    const attributes = { etag: 'of-part-1', headers: {}, metadata: {} }
    const record = { version: 'e of-part-1 6', attributes, uploadId: 'u' }
    await leaveLease(world, `${bucket}/k`, { bucket, key: 'k', path, record })
    assert.equal(await drive.head(bucket, 'k'), undefined)
    assert.deepEqual(await notesLeft(world), [])
  })

  it('in a folder that then loses its last other object: the new object takes its place', async (t) => {
    const world = await worldOf(t)
    const { otherClient } = world.server
    const drive = await openDrive(world)
    await put(drive, 'a/x', 'old')
    await put(drive, 'a/y', 'y')
    otherClient.remove(`${bucket}/a/x`)
    await leaveWrite(world, 'a/x')
    assert.equal((await drive.remove(bucket, 'a/y')) !== undefined, true)
    assert.equal(await getText(drive, 'a/x'), 'new')
  })

  it('in a folder that no longer exists: the folder is created again', async (t) => {
    const world = await worldOf(t)
    await leaveWrite(world, 'a/b/x')
    const drive = await openDrive(world)
    assert.deepEqual(await listKeys(drive), ['a/b/x'])
    assert.deepEqual(await notesLeft(world), [])
  })

  it('is recovered at the next start when the server refuses it at this one', async (t) => {
    const world = await worldOf(t)
    const { faults } = world.server
    await openDrive(world)
    await leaveWrite(world, 'k')
    const second = await world.open()
    faults.add({ method: 'MOVE', fault: { kind: 'answer', status: 507 }, times: 100 })
    await second.prepare(buckets)
    assert.equal((await notesLeft(world)).length, 1)
    faults.clear()
    const third = await openDrive(world)
    assert.equal(await getText(third, 'k'), 'new')
    assert.deepEqual(await notesLeft(world), [])
  })

  it('is recovered by a listing before anyone requests the object', async (t) => {
    const world = await worldOf(t)
    const drive = await openDrive(world)
    await put(drive, 'z', 'z')
    await leaveWrite(world, 'k')
    assert.deepEqual(await listKeys(drive), ['k', 'z'])
    assert.deepEqual(await notesLeft(world), [])
  })
})

describe('a process that died while it removed a folder', () => {
  it('to which a file was added: the folder is moved back', async (t) => {
    const world = await worldOf(t)
    const { otherClient } = world.server
    await openDrive(world)
    await leaveRemoval(world, 'f', ['by hand'])
    const drive = await openDrive(world)
    assert.equal(await getText(drive, 'f/by hand'), 'old')
    assert.deepEqual(otherClient.list('.bucketry/aside'), [])
  })

  it('that was created again: the content is moved into the new one', async (t) => {
    const world = await worldOf(t)
    const { otherClient } = world.server
    const first = await openDrive(world)
    await put(first, 'f/new', 'new')
    await put(first, 'f/both', 'new')
    await leaveRemoval(world, 'f', ['one', 'both', 'deep/er'])
    const drive = await openDrive(world)
    assert.deepEqual(await listKeys(drive), ['f/both', 'f/deep/er', 'f/new', 'f/one'])
    assert.equal(await getText(drive, 'f/both'), 'new')
    assert.deepEqual(otherClient.list('.bucketry/aside'), ['x/', 'x/both'])
  })

  it('in a folder that no longer exists: both are restored', async (t) => {
    const world = await worldOf(t)
    const { otherClient } = world.server
    const first = await openDrive(world)
    await put(first, 'p/z', 'z')
    await leaveRemoval(world, 'p/q', ['by hand'])
    await first.remove(bucket, 'p/z')
    const drive = await openDrive(world)
    assert.equal(await getText(drive, 'p/q/by hand'), 'old')
    assert.deepEqual(otherClient.list('.bucketry/aside'), [])
  })

  it('does not block a writer that creates that folder and those above it again', async (t) => {
    const world = await worldOf(t)
    const drive = await openDrive(world)
    await leaveRemoval(world, 'p/q', ['by hand'])
    await put(drive, 'p/q/new', 'new')
    assert.deepEqual(await listKeys(drive), ['p/q/by hand', 'p/q/new'])
  })

  it('with a thousand others in it: no recovery record remains or hides that of an object', async (t) => {
    const world = await worldOf(t)
    await openDrive(world)
    for (const name of ['d1', 'd2', 'd3']) {
      const inner = Array.from({ length: 501 }, () => 'f')
      const chain = [name, ...inner].map((_, index, all) => all.slice(0, index + 1).join('/'))
      const note = { key: 'x', folder: [bucket, name], inner, aside: ['.bucketry', 'aside', name] }
      const places = chain.map((path) => `${bucket}/${path}`)
      await leaveLease(world, places, note, Date.now() - 10_000)
    }
    await leaveWrite(world, 'k')
    const drive = await openDrive(world)
    assert.equal(await getText(drive, 'k'), 'new')
    assert.deepEqual(await notesLeft(world), [])
  })
})

describe('parts that Nextcloud refuses to assemble', () => {
  it('are reported immediately, and stay for the next Complete', async (t) => {
    const world = await worldOf(t)
    const drive = await openDrive(world)
    await put(drive, 'k', 'old')
    const upload = await UploadSession.begin(drive, 'k')
    await upload.append(Buffer.from('one'))
    await upload.append(Buffer.from('two'))
    const fault = { kind: 'answer', status: 400 } as const
    world.server.faults.add({ method: 'MOVE', path: /\.file$/, fault })
    const startedAt = performance.now()
    await rejectsAs(upload.complete(), 'unavailable')
    assert.ok(performance.now() - startedAt < 15_000)
    assert.equal(await getText(drive, 'k'), 'old')
    await upload.append(Buffer.from('three'))
    assert.equal((await upload.complete())?.size, 11)
    assert.equal(await getText(drive, 'k'), 'onetwothree')
  })
})

describe('several processes at their first start', () => {
  it('agree on how keys are written as names', async (t) => {
    const world = await worldOf(t)
    const drives = await Promise.all([world.open(), world.open(), world.open()])
    for (const drive of drives) await drive.prepare(buckets)
    const keys = ['.htaccess', 'a\\b', 'x.part', 'e\u0301', 'tab\t']
    for (const [index, key] of keys.entries()) {
      const drive = drives[index % 3]
      assert.ok(drive)
      await put(drive, key, key)
    }
    for (const drive of drives) {
      for (const key of keys) assert.equal(await getText(drive, key), key)
    }
    const left = world.server.otherClient.list('.bucketry/tmp')
    assert.equal(left.length, 1, 'the folder of the name probe was removed')
  })
})
