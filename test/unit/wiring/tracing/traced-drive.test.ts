import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Drive, DriveError, type UploadDrive } from '../../../../src/drives/drive.ts'
import { TracedDrive } from '../../../../src/wiring/tracing/traced-drive.ts'
import { recordSpans } from './recorded-spans.ts'

const errorStatus = 2

/** The compiler requires every member of the interface here. */
const driveMembers: Readonly<Record<keyof Drive, true>> = {
  ...{
    kind: true,
    deletes: true,
    readsAlone: true,
    prepare: true,
    addBucket: true,
    removeBucket: true,
    check: true,
    bucketCreatedAtMs: true,
    list: true,
  },
  ...{ head: true, open: true, draft: true, copy: true, remove: true, removeFolder: true },
  ...{ sweep: true, uploads: true, quota: true, statistics: true, close: true },
}
const uploadMembers: Readonly<Record<keyof UploadDrive, true>> = {
  ...{ begin: true, abilities: true, takeOver: true, append: true, replaceLast: true },
  ...{ complete: true, isPublished: true, abort: true, sweep: true },
}
const optional = ['copy', 'removeFolder', 'sweep', 'quota', 'statistics']

function fakeOf(members: object, changes: object = {}): Record<string, unknown> {
  const methods = Object.keys(members).map((name) => [name, async () => name])
  return { ...Object.fromEntries(methods), ...changes }
}

test('A traced drive has every member that the drive has, and none that it lacks', () => {
  const { children } = recordSpans()
  const uploads = fakeOf(uploadMembers)
  const whole = new TracedDrive(fakeOf(driveMembers, { uploads }) as unknown as Drive, children)
  const lacking = new TracedDrive(
    fakeOf(driveMembers, {
      ...Object.fromEntries(optional.map((name) => [name, undefined])),
      uploads,
    }) as unknown as Drive,
    children,
  )
  for (const name of Object.keys(driveMembers)) {
    assert.notEqual(Reflect.get(whole, name), undefined, name)
    assert.equal(Reflect.get(lacking, name) === undefined, optional.includes(name), name)
  }
  for (const name of Object.keys(uploadMembers)) {
    assert.notEqual(Reflect.get(whole.uploads, name), undefined, name)
    assert.notEqual(Reflect.get(lacking.uploads, name), undefined, name)
  }
})

test('A drive that fails marks its span; an outcome that the client asked for does not', async () => {
  const { children, context, ended } = recordSpans()
  const errors = [new DriveError('unavailable', 'secret'), new DriveError('condition', 'secret')]
  const remove = async () => Promise.reject(errors.shift())
  const uploads = fakeOf(uploadMembers)
  const fake = fakeOf(driveMembers, { kind: 'webdav', remove, uploads }) as unknown as Drive
  const drive = new TracedDrive(fake, children)
  await children.within(context, async () => {
    await assert.rejects(drive.remove('photos', 'a'), DriveError)
    await assert.rejects(drive.remove('photos', 'a'), DriveError)
  })
  const [failed, refused] = ended()
  assert.deepEqual(failed, {
    name: 'drive.remove',
    attributes: { 'bucketry.drive': 'webdav', 'error.type': 'unavailable' },
    status: errorStatus,
  })
  assert.equal(refused?.status, 0)
})
