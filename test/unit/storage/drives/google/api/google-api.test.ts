import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import {
  type GoogleApi,
  queryLiteral,
} from '../../../../../../src/storage/drives/google/api/google-api.ts'
import {
  GoogleIdTaken,
  GoogleNotFound,
  GooglePageExpired,
} from '../../../../../../src/storage/drives/google/api/google-failure.ts'
import {
  fileJson,
  json,
  refusal,
  reset,
  type Step,
  startTestApi,
  status,
} from './scripted-google.ts'

const ids = json(200, { ids: ['n2', 'n1'] })
const parameters = (url: URL | undefined) => {
  const { fields = '', ...rest } = Object.fromEntries(url?.searchParams ?? [])
  return { ...rest, hasFields: fields !== '' }
}

interface CallCase {
  readonly name: string
  readonly call: (api: GoogleApi) => Promise<unknown>
  readonly steps: readonly Step[]
  /** Method, path and parameters of the last request. */
  readonly asked: readonly [string, string, Record<string, unknown>]
  readonly body?: unknown
}

const all = { supportsAllDrives: 'true' }
const calls: readonly CallCase[] = [
  {
    name: 'getFile',
    call: (api) => api.getFile('a/b'),
    steps: [json(200, fileJson())],
    asked: ['GET', '/drive/v3/files/a%2Fb', { ...all, hasFields: true }],
  },
  {
    name: 'listFiles',
    call: (api) => api.listFiles({ q: `${queryLiteral("it's")} in parents`, pageToken: 'p2' }),
    steps: [json(200, { files: [fileJson()] })],
    asked: [
      'GET',
      '/drive/v3/files',
      {
        ...all,
        includeItemsFromAllDrives: 'true',
        corpora: 'user',
        spaces: 'drive',
        q: "'it\\'s' in parents",
        pageToken: 'p2',
        pageSize: '1000',
        hasFields: true,
      },
    ],
  },
  {
    name: 'createFile',
    call: (api) => api.createFile({ name: 'x', parents: ['p1'] }),
    steps: [ids, json(200, fileJson())],
    asked: ['POST', '/drive/v3/files', { ...all, hasFields: true }],
    body: { name: 'x', parents: ['p1'], id: 'n1' },
  },
  {
    name: 'updateFile',
    call: (api) => api.updateFile('f1', { name: 'y' }, { addParents: ['a'], removeParents: ['b'] }),
    steps: [json(200, fileJson())],
    asked: [
      'PATCH',
      '/drive/v3/files/f1',
      { ...all, addParents: 'a', removeParents: 'b', hasFields: true },
    ],
    body: { name: 'y' },
  },
  {
    name: 'trash',
    call: (api) => api.trash('f1'),
    steps: [json(200, { id: 'f1' })],
    asked: ['PATCH', '/drive/v3/files/f1', { ...all, hasFields: true }],
    body: { trashed: true },
  },
  {
    name: 'delete',
    call: (api) => api.delete('f1'),
    steps: [status(204)],
    asked: ['DELETE', '/drive/v3/files/f1', { ...all, hasFields: false }],
  },
  {
    name: 'copyFile',
    call: (api) => api.copyFile('f1', { id: 'chosen', name: 'copy', parents: ['p2'] }),
    steps: [json(200, fileJson())],
    asked: ['POST', '/drive/v3/files/f1/copy', { ...all, hasFields: true }],
    body: { name: 'copy', parents: ['p2'], id: 'chosen' },
  },
  {
    name: 'newId',
    call: (api) => api.newId(),
    steps: [ids],
    asked: [
      'GET',
      '/drive/v3/files/generateIds',
      { count: '500', space: 'drive', hasFields: true },
    ],
  },
  {
    name: 'startPageToken',
    call: (api) => api.startPageToken(),
    steps: [json(200, { startPageToken: '5' })],
    asked: ['GET', '/drive/v3/changes/startPageToken', { ...all, hasFields: true }],
  },
  {
    name: 'changes',
    call: (api) => api.changes('5'),
    steps: [json(200, { changes: [], newStartPageToken: '6' })],
    asked: [
      'GET',
      '/drive/v3/changes',
      {
        ...all,
        includeItemsFromAllDrives: 'true',
        includeRemoved: 'true',
        spaces: 'drive',
        pageToken: '5',
        pageSize: '1000',
        hasFields: true,
      },
    ],
  },
  {
    name: 'about',
    call: (api) => api.about(),
    steps: [json(200, { storageQuota: { usage: '1' } })],
    asked: ['GET', '/drive/v3/about', { hasFields: true }],
  },
  {
    name: 'beginSession for a new file',
    call: (api) => api.beginSession({ metadata: { name: 'big', mimeType: 'video/mp4' }, size: 9 }),
    steps: [ids, ({ response }) => void response.writeHead(200, { location: 'http://s/1' }).end()],
    asked: ['POST', '/upload/drive/v3/files', { ...all, uploadType: 'resumable', hasFields: true }],
    body: { name: 'big', mimeType: 'video/mp4', id: 'n1' },
  },
  {
    name: 'beginSession for other bytes of a file',
    call: (api) => api.beginSession({ id: 'f1', metadata: {} }),
    steps: [({ response }) => void response.writeHead(200, { location: 'http://s/1' }).end()],
    asked: [
      'PATCH',
      '/upload/drive/v3/files/f1',
      { ...all, uploadType: 'resumable', hasFields: true },
    ],
    body: {},
  },
]
for (const { name, call, steps, asked, body } of calls) {
  test(`${name} sends the request that Drive expects, with the token`, async (t) => {
    const { api, google } = await startTestApi(t)
    google.play(...steps)
    await call(api)
    const last = google.asked.at(-1)
    assert.deepEqual([last?.method, last?.url.pathname, parameters(last?.url)], asked)
    assert.equal(last?.headers.authorization, 'Bearer token-1')
    assert.equal(last?.headers['accept-encoding'], 'identity')
    const sent = last?.body.toString() ?? ''
    assert.deepEqual(sent === '' ? undefined : JSON.parse(sent), body)
    assert.equal(google.asked.length, steps.length)
  })
}

test('listFiles and changes name the shared drive if there is one', async (t) => {
  const { api, google } = await startTestApi(t, { sharedDriveId: 'shared-1' })
  google.play(
    json(200, { files: [] }),
    json(200, { startPageToken: '5' }),
    json(200, { changes: [], newStartPageToken: '6' }),
  )
  await api.listFiles({})
  await api.startPageToken()
  await api.changes('5')
  const driveIds = google.asked.map(({ url }) => url.searchParams.get('driveId'))
  assert.deepEqual(driveIds, ['shared-1', 'shared-1', 'shared-1'])
  assert.equal(google.asked[0]?.url.searchParams.get('corpora'), 'drive')
})

test('uploadSmall sends metadata and bytes in one request', async (t) => {
  const { api, google } = await startTestApi(t)
  google.play(json(200, fileJson()))
  const bytes = Buffer.from([0xff, 0xfe, 0])
  const file = await api.uploadSmall({
    metadata: { id: 'n9', name: 'a', mimeType: 'image/png' },
    bytes,
  })
  assert.equal(file.id, 'f1')
  const [asked] = google.asked
  assert.equal(asked?.url.searchParams.get('uploadType'), 'multipart')
  assert.match(asked?.headers['content-type'] ?? '', /^multipart\/related; boundary=bucketry-/)
  assert.ok(asked?.body.includes(bytes))
  assert.ok(asked?.body.includes('"id":"n9"'))
})

test('queryLiteral escapes quotes and backslashes', () => {
  assert.equal(queryLiteral(String.raw`it's a \ mess`), String.raw`'it\'s a \\ mess'`)
})

test('newId fetches many ids at once, for many callers', async (t) => {
  const { api, google } = await startTestApi(t)
  google.play(json(200, { ids: ['a', 'b', 'c'] }), json(200, { ids: ['d'] }))
  const given = await Promise.all([api.newId(), api.newId(), api.newId(), api.newId()])
  assert.deepEqual(given.toSorted(), ['a', 'b', 'c', 'd'])
  assert.equal(google.asked.length, 2)
})

test('a file is created once although the response was lost', async (t) => {
  const { api, google } = await startTestApi(t)
  google.play(reset, refusal(409, 'fileIdInUse'), json(200, fileJson({ id: 'n9' })))
  const file = await api.createFile({ id: 'n9', name: 'x' })
  assert.equal(file.id, 'n9')
  assert.deepEqual(
    google.asked.map(({ method }) => method),
    ['POST', 'POST', 'GET'],
  )
})

test('uploadSmall accepts an existing file of its id only if it has the bytes', async (t) => {
  const { api, google } = await startTestApi(t)
  const bytes = Buffer.from('abc')
  const md5Checksum = createHash('md5').update(bytes).digest('hex')
  google.play(refusal(409, 'fileIdInUse'), json(200, fileJson({ md5Checksum })))
  await api.uploadSmall({ metadata: { id: 'n9' }, bytes })
  google.play(refusal(409, 'fileIdInUse'), json(200, fileJson({ md5Checksum })))
  const other = api.uploadSmall({ metadata: { id: 'n9' }, bytes: Buffer.from('xyz') })
  await assert.rejects(other, GoogleIdTaken)
})

test('trash and delete return whether there was a file', async (t) => {
  const { api, google } = await startTestApi(t)
  google.play(refusal(404, 'notFound'), refusal(404, 'notFound'))
  assert.equal(await api.trash('f1'), false)
  assert.equal(await api.delete('f1'), false)
  // The first attempt may have been what removed it.
  google.play(reset, refusal(404, 'notFound'))
  assert.equal(await api.delete('f1'), true)
})

test('getFile, updateFile and copyFile reject with GoogleNotFound', async (t) => {
  const { api, google } = await startTestApi(t)
  google.play(refusal(404, 'notFound'), refusal(404, 'notFound'), refusal(404, 'notFound'))
  await assert.rejects(api.getFile('f1'), GoogleNotFound)
  await assert.rejects(api.updateFile('f1', {}), GoogleNotFound)
  await assert.rejects(api.copyFile('f1', { id: 'n' }), GoogleNotFound)
})

test('changes and listFiles reject with GooglePageExpired when a token is rejected', async (t) => {
  const { api, google } = await startTestApi(t)
  google.play(refusal(400, 'invalid'), refusal(410, 'gone'), refusal(400, 'invalid'))
  await assert.rejects(api.changes('old'), GooglePageExpired)
  await assert.rejects(api.listFiles({ pageToken: 'old' }), GooglePageExpired)
  await assert.rejects(api.listFiles({ q: 'wrong' }), { kind: 'unavailable' })
})

test('a new file whose parent was deleted rejects with GoogleNotFound for the parent', async (t) => {
  const { api, google } = await startTestApi(t)
  const metadata = { id: 'n', name: 'x', parents: ['p1'] as const }
  const attempts = [
    () => api.createFile(metadata),
    () => api.uploadSmall({ metadata, bytes: Buffer.alloc(0) }),
    () => api.beginSession({ metadata }),
  ]
  for (const attempt of attempts) {
    google.play(refusal(404, 'notFound'))
    await assert.rejects(attempt(), { name: 'GoogleNotFound', message: / no file p1;/ })
  }
})
