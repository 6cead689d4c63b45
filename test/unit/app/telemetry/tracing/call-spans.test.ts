import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ROOT_CONTEXT, trace } from '@opentelemetry/api'
import { AlwaysOffSampler, TracerProvider } from '@opentelemetry/sdk-trace'
import { type CallSpans, watched } from '../../../../../src/app/telemetry/calls.ts'
import { watchedDatabase, watchedDrive } from '../../../../../src/app/telemetry/telemetry.ts'
import {
  ChildSpans,
  databaseSpans,
  driveSpans,
} from '../../../../../src/app/telemetry/tracing/call-spans.ts'
import type { Tracing } from '../../../../../src/app/telemetry/tracing/start-tracing.ts'
import {
  type Database,
  DatabaseError,
  UnmetChange,
} from '../../../../../src/platform/state/database.ts'
import type { Drive } from '../../../../../src/storage/drives/drive.ts'
import { DriveError } from '../../../../../src/storage/drives/drive-error.ts'
import { openMemoryDrive } from '../../../../../src/storage/drives/memory/memory-drive.ts'
import { recordSpans } from './recorded-spans.ts'

const errorStatus = 2

function tracingOf(children: ChildSpans): Tracing {
  return {
    requests: { begin: () => undefined },
    ofDrive: (name) => driveSpans(children, name),
    ofDatabase: (kind) => databaseSpans(children, kind),
    close: async () => undefined,
  }
}

function tracedDrive(drive: Drive, children: ChildSpans, name = ''): Drive {
  return watchedDrive(drive, name, { tracing: tracingOf(children) })
}

function tracedDatabase(database: Database, children: ChildSpans): Database {
  return watchedDatabase(database, { tracing: tracingOf(children) })
}

function run<Result>(children: ChildSpans, name: string, work: () => Promise<Result>) {
  const spans: CallSpans = {
    begin: () => children.begin(name, { errorType: () => 'Error' }),
    ofResult: () => spans,
  }
  return watched({ work }, { work: { span: name } }, { sinks: [], spans }).work()
}

test('Work outside of a request, and work that goes on after its reply, has no span', async () => {
  const { children, request, context, ended } = recordSpans()
  assert.equal(await run(children, 'outside', async () => 1), 1)
  let background: Promise<number> | undefined
  let finish: () => void = () => undefined
  const replied = new Promise<void>((resolve) => {
    finish = resolve
  })
  await children.within(context, async () => {
    background = replied.then(() => run(children, 'background', async () => 2))
    await run(children, 'inside', async () => run(children, 'nested', async () => 0))
  })
  request.end()
  finish()
  assert.equal(await background, 2)
  assert.deepEqual(
    ended().map(({ name }) => name),
    ['nested', 'inside', 'request'],
  )
})

test('A request that is not sampled has no child spans', async () => {
  const tracer = new TracerProvider({ sampler: new AlwaysOffSampler() }).getTracer('test')
  const children = new ChildSpans(tracer)
  const context = trace.setSpan(ROOT_CONTEXT, tracer.startSpan('request'))
  children.within(context, () => {
    assert.equal(children.begin('child', { errorType: () => 'Error' }), undefined)
  })
})

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

function fakeDatabase(changes: Partial<Database> = {}): Database {
  return {
    kind: 'postgres',
    read: async () => [],
    write: async () => [],
    check: async () => undefined,
    close: async () => undefined,
    ...changes,
  }
}

test('Calls of the database are spans of their request, with texts and without values', async () => {
  const { children, context, ended } = recordSpans()
  const database = tracedDatabase(fakeDatabase(), children)
  await children.within(context, async () => {
    await database.read('SELECT size FROM uploads WHERE id = ?', ['secret'])
    await database.write([
      { sql: 'INSERT INTO parts (id) VALUES (?)', params: ['secret'] },
      { sql: 'UPDATE uploads SET size = ?', params: [1] },
    ])
    await database.check()
  })
  const system = { 'db.system.name': 'postgresql' }
  assert.deepEqual(ended(), [
    {
      name: 'SELECT uploads',
      attributes: {
        ...system,
        'db.query.text': 'SELECT size FROM uploads WHERE id = ?',
        'db.query.summary': 'SELECT uploads',
      },
      status: 0,
    },
    {
      name: 'INSERT parts, UPDATE uploads',
      attributes: {
        ...system,
        'db.query.text': 'INSERT INTO parts (id) VALUES (?); UPDATE uploads SET size = ?',
        'db.query.summary': 'INSERT parts, UPDATE uploads',
        'db.operation.batch.size': 2,
      },
      status: 0,
    },
    { name: 'check', attributes: system, status: 0 },
  ])
})

test('A database that fails marks the span; that another writer was first does not', async () => {
  const { children, context, ended } = recordSpans()
  const errors = [new DatabaseError('the password is secret'), new UnmetChange(0)]
  const write = async () => Promise.reject(errors.shift())
  const database = tracedDatabase(fakeDatabase({ write }), children)
  await children.within(context, async () => {
    await assert.rejects(database.write([{ sql: 'DELETE FROM uploads' }]), DatabaseError)
    await assert.rejects(database.write([{ sql: 'DELETE FROM uploads' }]), UnmetChange)
  })
  const [failed, unmet] = ended()
  assert.equal(failed?.status, errorStatus)
  assert.equal(failed?.attributes['error.type'], 'DatabaseError')
  assert.equal(unmet?.status, 0)
  assert.doesNotMatch(JSON.stringify(ended()), /secret/)
})
