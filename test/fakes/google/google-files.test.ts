import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { md5Of, testBytes } from '../../support/test-bytes.ts'
import { folderMimeType } from './file-record.ts'
import { GoogleCalls } from './google-calls.ts'
import { type GoogleEmulator, startGoogleEmulator } from './google-emulator.ts'

suite('Google emulator: files', () => {
  let emulator: GoogleEmulator
  let calls: GoogleCalls

  before(async () => {
    emulator = await startGoogleEmulator()
    calls = new GoogleCalls(emulator)
  })
  after(() => emulator.close())

  const reasonOf = (reply: { json: { error: { errors: { reason: string }[] } } }) =>
    reply.json.error.errors[0]?.reason
  const list = (q: string, more = '') => calls.api(`files?q=${encodeURIComponent(q)}${more}`)
  const namesIn = async (folder: string) => {
    const reply = await list(`'${folder}' in parents and trashed=false`)
    return reply.json.files.map((file: { name: string }) => file.name).sort()
  }

  test('get returns four fields by default', async () => {
    const id = await emulator.byHand.file('a', 'text')
    const usual = await calls.api(`files/${id}`)
    const mimeType = 'application/octet-stream'
    assert.deepEqual(usual.json, { kind: 'drive#file', id, name: 'a', mimeType })
    const wanted = await calls.api(`files/${id}?fields=size,md5Checksum,parents,sha1Checksum`)
    assert.deepEqual(wanted.json, {
      parents: [emulator.rootFolderId],
      size: '4',
      md5Checksum: md5Of(Buffer.from('text')),
      sha1Checksum: '372ea08cab33e71c02c651dbc83a474d32c676ea',
    })
  })

  test("get rejects unknown parameters with Google's error messages", async () => {
    const reply = await calls.api('files/nothing')
    assert.equal(reply.status, 404)
    assert.deepEqual(reply.json, {
      error: {
        errors: [
          {
            domain: 'global',
            reason: 'notFound',
            message: 'File not found: nothing.',
            locationType: 'parameter',
            location: 'fileId',
          },
        ],
        code: 404,
        message: 'File not found: nothing.',
      },
    })
    assert.equal((await calls.api('files/root?fields=bogus')).status, 400)
    assert.equal((await calls.api('files/root?unknown=parameter')).status, 200)
    assert.equal((await calls.api('files/root')).json.id, emulator.rootFolderId)
  })

  test('create creates an empty file, a folder, and duplicates', async () => {
    const folder = (await calls.api('files', { body: { name: 'f', mimeType: folderMimeType } }))
      .json
    const body = { name: 'empty', parents: [folder.id] }
    const file = await calls.api('files?fields=size,md5Checksum,parents', { body })
    assert.deepEqual(file.json, {
      parents: [folder.id],
      size: '0',
      md5Checksum: 'd41d8cd98f00b204e9800998ecf8427e',
    })
    await calls.api('files', { body })
    assert.deepEqual(await namesIn(folder.id), ['empty', 'empty'])
  })

  test('create rejects a parent that is not a folder, several parents, and read-only fields', async () => {
    const file = await emulator.byHand.file('no folder', '')
    const cases: readonly (readonly [metadata: unknown, status: number])[] = [
      [{ name: 'x', parents: ['nothing'] }, 404],
      [{ name: 'x', parents: [file] }, 403],
      [{ name: 'x', parents: ['root', file] }, 400],
      [{ name: 'x', size: '3' }, 403],
      [{ name: 3 }, 400],
      [{ name: 'x', modifiedTime: 'yesterday' }, 400],
      [[], 400],
    ]
    for (const [body, status] of cases) {
      assert.equal((await calls.api('files', { body })).status, status, JSON.stringify(body))
    }
  })

  test('create accepts an id once, and only a generated one', async () => {
    const { ids } = (await calls.api('files/generateIds?count=3')).json
    assert.equal(ids.length, 3)
    const body = { id: ids[0], name: 'x' }
    assert.equal((await calls.api('files', { body })).json.id, ids[0])
    const again = await calls.api('files', { body })
    assert.equal(again.status, 409)
    assert.equal(reasonOf(again), 'fileIdInUse')
    await calls.api(`files/${ids[0]}`, { method: 'DELETE' })
    assert.equal((await calls.api('files', { body })).status, 409)
    const invented = await calls.api('files', { body: { id: 'mine', name: 'x' } })
    assert.equal(invented.status, 400)
    assert.equal((await calls.api('files/generateIds?count=1001')).status, 400)
  })

  test('update renames, moves, and changes single properties', async () => {
    const target = emulator.byHand.folder('target')
    const id = await emulator.byHand.file('old', 'x')
    const patch = (body: unknown, query = '') =>
      calls.api(`files/${id}?fields=name,parents,appProperties,version${query}`, {
        method: 'PATCH',
        body,
      })
    const first = await patch({ name: 'new', appProperties: { a: '1', b: '2' } })
    assert.deepEqual(first.json.appProperties, { a: '1', b: '2' })
    const moved = await patch(
      { appProperties: { a: null } },
      `&addParents=${target}&removeParents=${emulator.rootFolderId}`,
    )
    assert.deepEqual(moved.json.appProperties, { b: '2' })
    assert.deepEqual(moved.json.parents, [target])
    assert.ok(Number(moved.json.version) > Number(first.json.version))
    assert.equal((await patch({}, '&addParents=root')).status, 403)
    assert.equal(reasonOf(await patch({ parents: ['root'] })), 'fieldNotWritable')
  })

  test('update rejects moving a folder below itself', async () => {
    const outer = emulator.byHand.folder('outer')
    const inner = emulator.byHand.folder('inner', outer)
    const query = `addParents=${inner}&removeParents=root`
    const reply = await calls.api(`files/${outer}?${query}`, { method: 'PATCH', body: {} })
    assert.equal(reply.status, 400)
  })

  test('update changes the modification time unless it only moves or trashes', async () => {
    const id = await emulator.byHand.file('times', 'x', { modifiedAtMs: 1_000_000_000_000 })
    const timeAfter = async (body: unknown) =>
      (await calls.api(`files/${id}?fields=modifiedTime`, { method: 'PATCH', body })).json
        .modifiedTime
    assert.equal(await timeAfter({ trashed: true }), '2001-09-09T01:46:40.000Z')
    assert.equal(await timeAfter({ trashed: false, starred: true }), '2001-09-09T01:46:40.000Z')
    assert.notEqual(await timeAfter({ appProperties: { a: 'b' } }), '2001-09-09T01:46:40.000Z')
    const modifiedTime = '2020-01-02T03:04:05.678Z'
    assert.equal(await timeAfter({ name: 'y', modifiedTime }), modifiedTime)
  })

  test('folders nest a hundred levels deep, and the deepest can have files', async () => {
    let id = emulator.byHand.folder('level 1')
    for (let level = 2; level <= 99; level++) id = emulator.byHand.folder(`level ${level}`, id)
    const folder = (parent: string) =>
      calls.api('files', { body: { name: 'f', mimeType: folderMimeType, parents: [parent] } })
    const last = await folder(id)
    assert.equal(last.status, 200)
    const deeper = await folder(last.json.id)
    assert.equal(deeper.status, 403)
    assert.equal(reasonOf(deeper), 'myDriveHierarchyDepthLimitExceeded')
    const file = { name: 'file', parents: [last.json.id] }
    assert.equal((await calls.api('files', { body: file })).status, 200)
    const branch = emulator.byHand.folder('branch')
    emulator.byHand.folder('twig', branch)
    const move = `files/${branch}?removeParents=root&addParents=${id}`
    assert.equal((await calls.api(move, { method: 'PATCH', body: {} })).status, 403)
  })

  test('a folder has a maximum number of children', async () => {
    const folder = emulator.byHand.folder('full')
    emulator.knobs.maxChildren = 1
    const create = () => calls.api('files', { body: { name: 'x', parents: [folder] } })
    assert.equal((await create()).status, 200)
    assert.equal(reasonOf(await create()), 'numChildrenInNonRootLimitExceeded')
    emulator.knobs.maxChildren = 500_000
  })

  test('metadata must be JSON with a JSON content type', async () => {
    const headers = { 'content-type': 'text/plain' }
    const reply = await calls.api('files', { method: 'POST', headers, body: Buffer.from('{}') })
    assert.equal(reply.status, 400)
    assert.equal(reasonOf(reply), 'badContent')
  })

  test('properties have at most 124 bytes of UTF-8, and a file at most 30 properties', async () => {
    const create = (appProperties: unknown) =>
      calls.api('files?fields=appProperties', { body: { name: 'p', appProperties } })
    assert.equal((await create({ ab: 'ü'.repeat(61) })).status, 200)
    const long = await create({ abc: 'ü'.repeat(61) })
    assert.equal(long.status, 403)
    assert.equal(reasonOf(long), 'propertyLengthLimitExceeded')
    const many = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 'v']))
    assert.equal((await create(many(30))).status, 200)
    assert.equal(reasonOf(await create(many(31))), 'propertyCountLimitExceeded')
  })

  test('queries ignore the case of names, but not of ids', async () => {
    const folder = emulator.byHand.folder('cases')
    await emulator.byHand.file('Straße', '1', { parent: folder })
    await emulator.byHand.file('STRASSE', '2', { parent: folder })
    const found = await list(`'${folder}' in parents and name='sTRAßE'`)
    assert.deepEqual(
      found.json.files.map((file: { name: string }) => file.name),
      ['Straße'],
    )
    const other = await list(`'${folder}' in parents or '${folder.toLowerCase()}x' in parents`)
    assert.equal(other.status, 404, 'a folder that is not there')
    assert.equal(other.json.error.message, 'File not found: .')
  })

  test('list returns pages that may be short or empty', async () => {
    const folder = emulator.byHand.folder('pages')
    for (let at = 0; at < 25; at++) await emulator.byHand.file(`${at}`, '', { parent: folder })
    const question = `'${folder}' in parents`
    const crawl = async () => {
      const sizes: number[] = []
      const names = new Set<string>()
      let token = ''
      do {
        const reply = await list(question, `&pageSize=10${token && `&pageToken=${token}`}`)
        sizes.push(reply.json.files.length)
        for (const { name } of reply.json.files) names.add(name)
        token = encodeURIComponent(reply.json.nextPageToken ?? '')
      } while (token !== '')
      assert.equal(names.size, 25)
      return sizes
    }
    assert.deepEqual(await crawl(), [10, 10, 5])
    emulator.knobs.pageLimit = 7
    emulator.knobs.hasEmptyPages = true
    assert.deepEqual(await crawl(), [0, 7, 0, 7, 0, 7, 0, 4])
    emulator.knobs.pageLimit = Number.POSITIVE_INFINITY
    emulator.knobs.hasEmptyPages = false
    const { nextPageToken } = (await list(question, '&pageSize=10')).json
    emulator.pages.expire()
    const late = await list(question, `&pageToken=${encodeURIComponent(nextPageToken)}`)
    assert.equal(late.status, 400)
    assert.equal((await list(question, '&pageSize=0')).status, 400)
    assert.equal((await list(question, '&pageSize=5000')).json.files.length, 25)
    assert.equal((await list('bogus')).status, 400)
  })

  test('the trash hides what is below a folder until it is restored', async () => {
    const folder = emulator.byHand.folder('trashed')
    const id = await emulator.byHand.file('inside', 'x', { parent: folder })
    emulator.byHand.trash(folder)
    assert.deepEqual(await namesIn(folder), [])
    const fields = 'fields=trashed,explicitlyTrashed'
    const inside = await calls.api(`files/${id}?${fields}`)
    assert.deepEqual(inside.json, { trashed: true, explicitlyTrashed: false })
    assert.equal((await calls.api(`files/${id}?alt=media`)).bytes.toString(), 'x')
    await calls.api(`files/${folder}`, { method: 'PATCH', body: { trashed: false } })
    assert.deepEqual(await namesIn(folder), ['inside'])
  })

  test('delete is permanent and includes all descendants', async () => {
    const folder = emulator.byHand.folder('gone')
    const id = await emulator.byHand.file('inside', 'x', { parent: folder })
    const reply = await calls.api(`files/${folder}`, { method: 'DELETE' })
    assert.equal(reply.status, 204)
    assert.equal(reply.bytes.length, 0)
    assert.equal((await calls.api(`files/${id}`)).status, 404)
    assert.equal((await calls.api(`files/${folder}`, { method: 'DELETE' })).status, 404)
    assert.equal((await calls.api('files/root', { method: 'DELETE' })).status, 403)
  })

  test("copy takes over the source's bytes, folder and properties", async () => {
    const folder = emulator.byHand.folder('copies')
    const created = await calls.api('files', {
      body: { name: 'source', parents: [folder], appProperties: { a: '1' } },
    })
    const id = created.json.id
    await emulator.byHand.replace(id, 'bytes')
    const fields = 'fields=name,size,parents,appProperties'
    const copy = await calls.api(`files/${id}/copy?${fields}`, {
      body: { appProperties: { b: '2' } },
    })
    assert.deepEqual(copy.json, {
      name: 'Copy of source',
      parents: [folder],
      appProperties: { a: '1', b: '2' },
      size: '5',
    })
    assert.equal((await calls.api(`files/${folder}/copy`, { body: {} })).status, 403)
    assert.equal((await calls.api('files/nothing/copy', { body: {} })).status, 404)
  })

  test('a download accepts one range, and none of an empty file', async () => {
    const bytes = testBytes('range', 700_000)
    const id = await emulator.byHand.file('range', bytes)
    const part = (range: string, file = id) =>
      calls.api(`files/${file}?alt=media`, { headers: { range } })
    const cases: readonly (readonly [range: string, start: number, end: number])[] = [
      ['bytes=0-0', 0, 1],
      ['bytes=300000-', 300_000, 700_000],
      ['bytes=-5', 699_995, 700_000],
      ['bytes=699999-9999999', 699_999, 700_000],
    ]
    for (const [range, start, end] of cases) {
      const reply = await part(range)
      assert.equal(reply.status, 206)
      assert.equal(reply.headers.get('content-range'), `bytes ${start}-${end - 1}/700000`)
      assert.ok(reply.bytes.equals(bytes.subarray(start, end)))
    }
    assert.equal((await part('bytes=700000-')).status, 416)
    const empty = await emulator.byHand.file('empty', '')
    assert.equal((await part('bytes=0-', empty)).status, 416)
    assert.equal((await calls.api(`files/${empty}?alt=media`)).status, 200)
  })

  test('a download is rejected for files without bytes and for malware', async () => {
    const document = emulator.byHand.googleDocument('letter')
    const refused = await calls.api(`files/${document}?alt=media`)
    assert.equal(refused.status, 403)
    assert.equal(reasonOf(refused), 'fileNotDownloadable')
    const reply = await calls.api(`files/${document}?fields=size,md5Checksum,mimeType`)
    assert.deepEqual(reply.json, { mimeType: 'application/vnd.google-apps.document' })
    const id = await emulator.byHand.file('virus', 'x')
    emulator.byHand.flagAsAbusive(id)
    assert.equal(reasonOf(await calls.api(`files/${id}?alt=media`)), 'cannotDownloadAbusiveFile')
    assert.equal((await calls.api(`files/${id}?alt=media&acknowledgeAbuse=true`)).status, 200)
    const shortcut = emulator.byHand.shortcut('link', id)
    const details = await calls.api(`files/${shortcut}?fields=shortcutDetails`)
    assert.equal(details.json.shortcutDetails.targetId, id)
  })

  test('a revision can be downloaded while it is marked "keep forever"', async () => {
    const id = await emulator.byHand.file('history', 'one')
    const { headRevisionId } = (await calls.api(`files/${id}?fields=headRevisionId`)).json
    await emulator.byHand.replace(id, 'two')
    const revision = `files/${id}/revisions/${headRevisionId}?alt=media`
    assert.equal((await calls.api(`files/${id}?alt=media`)).bytes.toString(), 'two')
    const keep = async (keepForever: unknown) =>
      await calls.api(`files/${id}/revisions/${headRevisionId}`, {
        method: 'PATCH',
        body: { keepForever },
      })
    assert.equal((await calls.api(revision)).status, 403)
    assert.equal((await keep('yes')).status, 400)
    assert.equal((await keep(true)).json.keepForever, true)
    emulator.byHand.purgeRevisions(id)
    assert.equal((await calls.api(revision)).bytes.toString(), 'one')
    assert.equal((await keep(false)).status, 200)
    assert.equal((await calls.api(revision)).status, 403)
    emulator.byHand.purgeRevisions(id)
    assert.equal((await calls.api(revision)).status, 404)
  })

  test('about requires fields, and returns the limit if there is one', async () => {
    const reply = await calls.api('about')
    assert.equal(reply.status, 400)
    assert.equal(reasonOf(reply), 'required')
    const unlimited = await calls.api('about?fields=storageQuota')
    assert.equal(unlimited.json.storageQuota.limit, undefined)
    emulator.knobs.limitBytes = 1
    const limited = await calls.api('about?fields=storageQuota/limit')
    assert.deepEqual(limited.json, { storageQuota: { limit: '1' } })
    delete emulator.knobs.limitBytes
  })

  test('queries by name lag, queries by folder may lag, and get never lags', async () => {
    const folder = emulator.byHand.folder('lag')
    emulator.files.byName.lagMs = Number.POSITIVE_INFINITY
    emulator.files.byParent.lagMs = 60_000
    const { id } = (await calls.api('files', { body: { name: 'late', parents: [folder] } })).json
    const byName = () => list(`'${folder}' in parents and name='late'`)
    assert.deepEqual((await byName()).json.files, [])
    assert.deepEqual(await namesIn(folder), [])
    assert.equal((await calls.api(`files/${id}`)).status, 200)
    emulator.clock.advance(60_000)
    assert.deepEqual(await namesIn(folder), ['late'])
    assert.deepEqual((await byName()).json.files, [])
    emulator.files.byName.settle()
    assert.equal((await byName()).json.files.length, 1)
    emulator.files.byName.lagMs = 0
    emulator.files.byParent.lagMs = 0
  })

  test('counters count calls by kind, units and bytes', async () => {
    emulator.counters.reset()
    const id = await emulator.byHand.file('counted', '12345')
    await calls.api(`files/${id}`)
    await calls.api(`files/${id}?alt=media`)
    await calls.api('files/nothing')
    assert.deepEqual(emulator.counters.calls, { get: 2, download: 1 })
    assert.equal(emulator.counters.units, 210)
    assert.deepEqual(emulator.counters.refusals, { 'get notFound': 1 })
    assert.ok(emulator.counters.bytesOut > 5)
  })
})
