import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Drive } from '../../../../../src/storage/drives/drive.ts'
import { openMemoryDrive } from '../../../../../src/storage/drives/memory/memory-drive.ts'
import {
  type BucketPlace,
  type Mount,
  unavailableDrive,
} from '../../../../../src/storage/drives/route/mount.ts'
import { RoutedDrive } from '../../../../../src/storage/drives/route/routed-drive.ts'
import { attributesOf, put, rejectsAs } from '../../../../contract/drive/stored-object.ts'

interface MutableMount extends Mount {
  drive: Drive
  problem?: string | undefined
}

/** `music` is on the drive NAS, `fixed` there too but read-only; the others are on the default drive. */
async function scene() {
  const [main, nas] = [openMemoryDrive(), openMemoryDrive()]
  await main.prepare(['photos'])
  await nas.prepare(['Music/Lossless', 'fixed'])
  const first: MutableMount = { name: '', drive: main, isReadOnly: false }
  const second: MutableMount = { name: 'NAS', drive: nas, isReadOnly: false }
  const places = new Map<string, BucketPlace>([
    ['music', { mount: second, folder: 'Music/Lossless', isReadOnly: false }],
    ['fixed', { mount: second, folder: 'fixed', isReadOnly: true }],
  ])
  const drive = new RoutedDrive({ mounts: [first, second], places })
  return { drive, main, nas, second, places, first }
}

const bytes = Buffer.from('bytes')

async function upload(drive: Drive, bucket: string): Promise<string> {
  const state = await drive.uploads.begin(`u-${bucket}`, { bucket, key: 'k' })
  const part = await drive.uploads.append(state, { offset: 0 })
  await part.write(bytes)
  return await part.commit()
}

function complete(drive: Drive, state: string, bucket: string) {
  const target = { bucket, key: 'k' }
  return drive.uploads.complete(state, { target, size: 5, attributes: attributesOf(bytes) })
}

test('The states of uploads say which drive they are on, except for the default drive', async () => {
  const { drive, main, nas } = await scene()
  const [photos, music] = [await upload(drive, 'photos'), await upload(drive, 'music')]
  assert.match(music, /^@NAS:/)
  assert.deepEqual([main.uploads.count, nas.uploads.count], [1, 1])
  // The drive itself goes on with an upload that was begun when it was alone.
  assert.ok(await complete(main, photos, 'photos'))
  assert.ok(await complete(drive, music, 'music'))
  assert.equal((await nas.head('Music/Lossless', 'k'))?.size, 5)
  assert.equal(await drive.uploads.isPublished(music), true)
})

test('An upload whose bucket has moved, or whose drive is gone, cannot be completed', async () => {
  const { drive, main, places, first } = await scene()
  const state = await upload(drive, 'music')
  const alone = new RoutedDrive({ mounts: [first], places: new Map() })
  await rejectsAs(alone.uploads.append(state, { offset: 5 }), 'upload-gone')
  await rejectsAs(complete(alone, state, 'photos'), 'upload-gone')
  assert.equal(await alone.uploads.isPublished(state), false)
  await alone.uploads.abort(state)
  places.delete('music')
  await main.addBucket('music')
  await rejectsAs(complete(drive, state, 'music'), 'upload-gone')
  await drive.uploads.abort(state)
})

test('Nothing is published on a drive that was lost in between', async () => {
  const { drive, nas, second } = await scene()
  const draft = await drive.draft('music', 'k', {})
  await draft.write(bytes)
  const state = await upload(drive, 'music')
  const part = await drive.uploads.append(state, { offset: 5 })
  second.drive = unavailableDrive({ kind: 'memory', deletes: 'permanent', message: 'Away.' })
  second.problem = 'Away.'
  await rejectsAs(draft.publish(attributesOf(bytes)), 'unavailable')
  await rejectsAs(part.commit(), 'unavailable')
  await rejectsAs(complete(drive, state, 'music'), 'unavailable')
  await rejectsAs(drive.list('music', { prefix: '', after: '' }).next(1), 'unavailable')
  await drive.check()
  // A drive that is away is not swept, and does not keep the others from it.
  await drive.uploads.sweep(async () => false, 0)
  assert.equal(await nas.head('Music/Lossless', 'k'), undefined)
})

const moving = { beforeMove: async () => undefined, assertMayGoOn: () => undefined }

test('A folder moves in one step within a drive that can do that, under the names there', async () => {
  const { drive, nas, second, places } = await scene()
  const asked: unknown[] = []
  const moveFolder: Drive['moveFolder'] = async (from, to) => asked.push(from, to)
  places.set('other', { mount: second, folder: 'Music/Other', isReadOnly: false })
  const move = (to: string) =>
    drive.moveFolder({ bucket: 'music', key: 'a/' }, { bucket: to, key: 'b/' }, moving)
  assert.equal(await move('other'), undefined)
  second.drive = { ...nas, moveFolder }
  assert.equal(await move('photos'), undefined)
  assert.equal(await move('other'), 2)
  const [from, to] = [
    { bucket: 'Music/Lossless', key: 'a/' },
    { bucket: 'Music/Other', key: 'b/' },
  ]
  assert.deepEqual(asked, [from, to])
})

test('A read-only bucket and a bucket in the folder of another one are refused', async () => {
  const { drive, nas } = await scene()
  await put(nas, 'k', 'kept', { bucket: 'fixed' })
  const target = { bucket: 'fixed', key: 'k' }
  const source = { bucket: 'music', key: 'k', etag: 'e' }
  for (const write of [
    drive.draft('fixed', 'k', {}),
    drive.remove('fixed', 'k'),
    drive.removeFolder('fixed', 'k/'),
    drive.moveFolder({ bucket: 'music', key: 'k/' }, { bucket: 'fixed', key: 'k/' }, moving),
    drive.copy(source, target, { attributes: attributesOf(bytes) }),
    drive.uploads.begin('u', target),
    drive.addBucket('fixed'),
    drive.removeBucket('fixed'),
  ]) {
    await rejectsAs(write, 'denied')
  }
  assert.equal((await drive.head('fixed', 'k'))?.size, 4)
  const { drive: nested, places, first } = await scene()
  places.set('old', { mount: first, folder: 'new/deep', isReadOnly: false })
  await rejectsAs(nested.addBucket('new'), 'denied')
  await nested.addBucket('newer')
})

test('The tags of an object can be changed if its drive can do that, and is not read-only', async () => {
  const { drive, nas, second } = await scene()
  await put(drive, 'k', 'x', { bucket: 'music' })
  assert.ok((await drive.setAttributes('music', 'k', { tags: { a: '1' } }))?.attributes.tags)
  assert.deepEqual((await nas.head('Music/Lossless', 'k'))?.attributes.tags, { a: '1' })
  await rejectsAs(drive.setAttributes('fixed', 'k', { tags: { a: '1' } }), 'denied')
  const { setAttributes: _, ...without } = nas
  second.drive = without
  await rejectsAs(drive.setAttributes('music', 'k', { tags: { a: '2' } }), 'unsupported')
})

test('A drive that cannot be swept does not keep the others from it', async () => {
  const { drive, main, nas, first, second } = await scene()
  const swept: string[] = []
  const sweeping = (one: Drive, name: string, failure?: Error): Drive => ({
    ...one,
    async sweep() {
      swept.push(name)
      if (failure !== undefined) throw failure
    },
  })
  first.drive = sweeping(main, 'main', new Error('It is away.'))
  second.drive = sweeping(nas, 'nas')
  await assert.rejects(drive.sweep(), /away/)
  assert.deepEqual(swept, ['main', 'nas'])
})

test('The space is that of the drive of a bucket, or of the default drive', async () => {
  const { drive, main, nas } = await scene()
  await put(nas, 'k', bytes, { bucket: 'fixed' })
  const [ofMain, ofNas] = [await main.quota?.(), await nas.quota?.()]
  assert.notDeepEqual(ofMain, ofNas)
  assert.deepEqual(await drive.quota('music'), ofNas)
  assert.deepEqual(await drive.quota('photos'), ofMain)
  assert.deepEqual(await drive.quota(), ofMain)
})
