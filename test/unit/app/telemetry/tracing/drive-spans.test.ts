import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tracedDrive } from '../../../../../src/app/telemetry/tracing/drive-spans.ts'
import { DriveError } from '../../../../../src/storage/drives/drive-error.ts'
import { openMemoryDrive } from '../../../../../src/storage/drives/memory/memory-drive.ts'
import { recordSpans } from './recorded-spans.ts'

const errorStatus = 2

test('A drive that fails marks its span; an outcome that the client asked for does not', async () => {
  const { children, context, ended } = recordSpans()
  const errors = [new DriveError('unavailable', 'secret'), new DriveError('condition', 'secret')]
  const failing = openMemoryDrive()
  failing.remove = async () => Promise.reject(errors.shift())
  const drive = tracedDrive(failing, children)
  await children.within(context, async () => {
    await assert.rejects(drive.remove('photos', 'a'), DriveError)
    await assert.rejects(drive.remove('photos', 'a'), DriveError)
  })
  const [failed, refused] = ended()
  assert.deepEqual(failed, {
    name: 'drive.remove',
    attributes: { 'bucketry.drive': 'memory', 'error.type': 'unavailable' },
    status: errorStatus,
  })
  assert.equal(refused?.status, 0)
})

test('Bytes that are read after the work of a request have spans of the request', async () => {
  const { children, context, ended } = recordSpans()
  const drive = tracedDrive(openMemoryDrive(), children, 'archive')
  await drive.prepare(['photos'])
  const attributes = { etag: 'e', headers: {}, metadata: {} }
  const object = await children.within(context, async () => {
    const draft = await drive.draft('photos', 'k', { size: 1 })
    await draft.write(Buffer.from('x'))
    await draft.publish(attributes)
    return await drive.open('photos', 'k')
  })
  const chunks = await Array.fromAsync(object?.read(0, 1) ?? [])
  assert.deepEqual(Buffer.concat(chunks), Buffer.from('x'))
  await object?.close()
  await drive.open('photos', 'k')
  assert.deepEqual(
    ended().map(({ name, attributes: { 'bucketry.drive': on } }) => `${name} ${on}`),
    ['draft', 'publish', 'open', 'read'].map((call) => `drive.${call} archive`),
  )
})

test('A read that is given up ends its span, and one that fails marks it', async () => {
  const { children, context, ended } = recordSpans()
  const memory = openMemoryDrive()
  const read = async function* () {
    yield Buffer.from('x')
    throw new DriveError('unavailable', 'secret')
  }
  const metadata = {
    size: 2,
    modifiedAtMs: 0,
    attributes: { etag: 'e', headers: {}, metadata: {} },
  }
  memory.open = async () => ({ ...metadata, read, close: async () => undefined })
  const drive = tracedDrive(memory, children)
  const object = await children.within(context, async () => drive.open('photos', 'k'))
  for await (const _ of object?.read(0, 2) ?? []) break
  await assert.rejects(Array.fromAsync(object?.read(0, 2) ?? []), DriveError)
  assert.deepEqual(
    ended().map(({ name, status }) => [name, status]),
    [
      ['drive.open', 0],
      ['drive.read', 0],
      ['drive.read', errorStatus],
    ],
  )
})
