/** What the next process does with what a dead one left between two steps. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
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

async function notesLeft({ leases }: World): Promise<unknown[]> {
  return await leases.endedWithNote(Date.now() + 60_000, 10_000)
}

describe('a process that died in the middle of a write', () => {
  for (const when of ['at start', 'when the object is asked for'] as const) {
    it(`after the old object was removed: the new one takes its place ${when}`, async (t) => {
      const world = await worldOf(t)
      const running = await world.open()
      await running.prepare(buckets)
      world.server.otherClient.put(`${deadTmp}/new`, Buffer.from('new'))
      await leaveLease(world, `${bucket}/k`, {
        bucket,
        key: 'k',
        path: [...deadTmp.split('/'), 'new'],
      })
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
    const first = await world.open()
    await first.prepare(buckets)
    await put(first, 'k', 'old')
    world.server.otherClient.put(`${deadTmp}/new`, Buffer.from('new'))
    await leaveLease(world, `${bucket}/k`, {
      bucket,
      key: 'k',
      path: [...deadTmp.split('/'), 'new'],
    })
    const drive = await world.open()
    await drive.prepare(buckets)
    assert.equal(await getText(drive, 'k'), 'old')
    const left = world.server.otherClient.list('.bucketry/tmp')
    assert.deepEqual(
      left.filter((path) => path.includes('new')),
      [],
    )
  })

  it('in a folder that then loses its last other object: the new object takes its place', async (t) => {
    const world = await worldOf(t)
    const { otherClient } = world.server
    const drive = await world.open()
    await drive.prepare(buckets)
    await put(drive, 'a/x', 'old')
    await put(drive, 'a/y', 'y')
    otherClient.remove(`${bucket}/a/x`)
    otherClient.put(`${deadTmp}/new`, Buffer.from('new'))
    const path = [...deadTmp.split('/'), 'new']
    await leaveLease(world, `${bucket}/a/x`, { bucket, key: 'a/x', path })
    assert.equal(await drive.remove(bucket, 'a/y'), true)
    assert.equal(await getText(drive, 'a/x'), 'new')
  })

  it('in a folder that no longer exists: the folder is created again', async (t) => {
    const world = await worldOf(t)
    world.server.otherClient.put(`${deadTmp}/new`, Buffer.from('new'))
    const path = [...deadTmp.split('/'), 'new']
    await leaveLease(world, `${bucket}/a/b/x`, { bucket, key: 'a/b/x', path })
    const drive = await world.open()
    await drive.prepare(buckets)
    assert.deepEqual(await listKeys(drive), ['a/b/x'])
    assert.deepEqual(await notesLeft(world), [])
  })

  it('is recovered at the next start when the server refuses it at this one', async (t) => {
    const world = await worldOf(t)
    const { otherClient, faults } = world.server
    const first = await world.open()
    await first.prepare(buckets)
    otherClient.put(`${deadTmp}/new`, Buffer.from('new'))
    const path = [...deadTmp.split('/'), 'new']
    await leaveLease(world, `${bucket}/k`, { bucket, key: 'k', path })
    const second = await world.open()
    faults.add({ method: 'MOVE', fault: { kind: 'answer', status: 507 }, times: 100 })
    await second.prepare(buckets)
    assert.equal((await notesLeft(world)).length, 1)
    faults.clear()
    const third = await world.open()
    await third.prepare(buckets)
    assert.equal(await getText(third, 'k'), 'new')
    assert.deepEqual(await notesLeft(world), [])
  })

  it('is recovered by a listing before anyone requests the object', async (t) => {
    const world = await worldOf(t)
    const { otherClient } = world.server
    const drive = await world.open()
    await drive.prepare(buckets)
    await put(drive, 'z', 'z')
    otherClient.put(`${deadTmp}/new`, Buffer.from('new'))
    const path = [...deadTmp.split('/'), 'new']
    await leaveLease(world, `${bucket}/k`, { bucket, key: 'k', path })
    assert.deepEqual(await listKeys(drive), ['k', 'z'])
    assert.deepEqual(await notesLeft(world), [])
  })
})

describe('a process that died while it removed a folder', () => {
  it('to which a file was added: the folder is moved back', async (t) => {
    const world = await worldOf(t)
    const { otherClient } = world.server
    const first = await world.open()
    await first.prepare(buckets)
    otherClient.put('.bucketry/aside/x/by hand', Buffer.from('mine'))
    const note = {
      key: 'f/x',
      folder: [bucket, 'f'],
      inner: [],
      aside: ['.bucketry', 'aside', 'x'],
    }
    await leaveLease(world, `${bucket}/f`, note)
    const drive = await world.open()
    await drive.prepare(buckets)
    assert.equal(await getText(drive, 'f/by hand'), 'mine')
    assert.deepEqual(otherClient.list('.bucketry/aside'), [])
  })

  it('that was created again: the content is moved into the new one', async (t) => {
    const world = await worldOf(t)
    const { otherClient } = world.server
    const first = await world.open()
    await first.prepare(buckets)
    await put(first, 'f/new', 'new')
    await put(first, 'f/both', 'new')
    for (const name of ['one', 'both', 'deep/er']) {
      otherClient.put(`.bucketry/aside/x/${name}`, Buffer.from('old'))
    }
    const note = {
      key: 'f/x',
      folder: [bucket, 'f'],
      inner: [],
      aside: ['.bucketry', 'aside', 'x'],
    }
    await leaveLease(world, `${bucket}/f`, note)
    const drive = await world.open()
    await drive.prepare(buckets)
    assert.deepEqual(await listKeys(drive), ['f/both', 'f/deep/er', 'f/new', 'f/one'])
    assert.equal(await getText(drive, 'f/both'), 'new')
    assert.deepEqual(otherClient.list('.bucketry/aside'), ['x/', 'x/both'])
  })

  it('in a folder that no longer exists: both are restored', async (t) => {
    const world = await worldOf(t)
    const { otherClient } = world.server
    const first = await world.open()
    await first.prepare(buckets)
    await put(first, 'p/z', 'z')
    otherClient.put('.bucketry/aside/x/by hand', Buffer.from('mine'))
    const folder = [bucket, 'p', 'q']
    const note = { key: 'p/q/x', folder, inner: [], aside: ['.bucketry', 'aside', 'x'] }
    await leaveLease(world, folder.join('/'), note)
    await first.remove(bucket, 'p/z')
    const drive = await world.open()
    await drive.prepare(buckets)
    assert.equal(await getText(drive, 'p/q/by hand'), 'mine')
    assert.deepEqual(otherClient.list('.bucketry/aside'), [])
  })

  it('does not block a writer that creates that folder and those above it again', async (t) => {
    const world = await worldOf(t)
    const { otherClient } = world.server
    const drive = await world.open()
    await drive.prepare(buckets)
    otherClient.put('.bucketry/aside/x/by hand', Buffer.from('mine'))
    const folder = [bucket, 'p', 'q']
    const note = { key: 'p/q/x', folder, inner: [], aside: ['.bucketry', 'aside', 'x'] }
    await leaveLease(world, folder.join('/'), note)
    await put(drive, 'p/q/new', 'new')
    assert.deepEqual(await listKeys(drive), ['p/q/by hand', 'p/q/new'])
  })

  it('with a thousand others in it: no recovery record remains or hides that of an object', async (t) => {
    const world = await worldOf(t)
    const first = await world.open()
    await first.prepare(buckets)
    for (const name of ['d1', 'd2', 'd3']) {
      const inner = Array.from({ length: 501 }, () => 'f')
      const chain = [name, ...inner].map((_, index, all) => all.slice(0, index + 1).join('/'))
      const note = { key: 'x', folder: [bucket, name], inner, aside: ['.bucketry', 'aside', name] }
      const places = chain.map((path) => `${bucket}/${path}`)
      await leaveLease(world, places, note, Date.now() - 10_000)
    }
    world.server.otherClient.put(`${deadTmp}/new`, Buffer.from('new'))
    const path = [...deadTmp.split('/'), 'new']
    await leaveLease(world, `${bucket}/k`, { bucket, key: 'k', path })
    const drive = await world.open()
    await drive.prepare(buckets)
    assert.equal(await getText(drive, 'k'), 'new')
    assert.deepEqual(await notesLeft(world), [])
  })
})

describe('parts that Nextcloud refuses to assemble', () => {
  it('are reported immediately, and stay for the next Complete', async (t) => {
    const world = await worldOf(t)
    const drive = await world.open()
    await drive.prepare(buckets)
    await put(drive, 'k', 'old')
    const upload = await UploadSession.begin(drive, 'k')
    await upload.append(Buffer.from('one'))
    await upload.append(Buffer.from('two'))
    const fault = { kind: 'answer', status: 400 } as const
    world.server.faults.add({ method: 'MOVE', path: /\.file$/, fault })
    const startedAt = performance.now()
    await rejectsAs(upload.complete(), 'unavailable')
    assert.ok(performance.now() - startedAt < 5_000)
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
    assert.equal(left.length, 1, 'what was tried out is gone')
  })
})
