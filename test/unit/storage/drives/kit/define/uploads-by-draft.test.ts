/** Uploads through the staging directory leave no file open when a step fails. */
import assert from 'node:assert/strict'
import fs from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type {
  CoreDraft,
  DraftPublisher,
} from '../../../../../../src/storage/drives/kit/define/drive-core.ts'
import { UploadsByDraft } from '../../../../../../src/storage/drives/kit/define/uploads-by-draft.ts'
import { StagedBytes } from '../../../../../../src/storage/drives/kit/uploads/staged-uploads.ts'
import { openStagedUploads } from '../../../../../../src/storage/drives/local/staged-uploads.ts'
import { openFileCount } from '../../../../../support/open-files.ts'
import { log } from '../../local/open-drive.ts'
import { tempFolder } from '../../local/temp-folder.ts'

const target = { bucket: 'alpha', key: 'k' }
const attributes = { etag: 'e', headers: {}, metadata: {} }
const failure = new Error('the drive is away')
const reject = () => Promise.reject(failure)
const complete = { target, size: 5, attributes }

const draft: CoreDraft = {
  write: async () => undefined,
  publish: async () => ({ size: 5, modifiedAtMs: 0, attributes }),
  discard: async () => undefined,
}

async function scene(t: TestContext, changed: Partial<CoreDraft> | undefined) {
  const folder = tempFolder(t)
  const staging = await openStagedUploads(folder, log)
  t.after(() => staging.drive.close())
  const publisher: DraftPublisher = {
    draft: async () => (changed === undefined ? await reject() : { ...draft, ...changed }),
    publish: (draft) => draft.publish(attributes),
    head: async () => undefined,
  }
  const uploads = new UploadsByDraft(staging, publisher)
  const part = await uploads.append(await uploads.begin('u', target), { offset: 0 })
  await part.write(Buffer.from('bytes'))
  return { folder, staging, uploads, state: await part.commit() }
}

const steps = {
  'a draft that cannot be started': undefined,
  'a draft that cannot be written': { write: reject },
  'a draft that cannot be published': { publish: reject },
  'a draft that cannot be discarded': { discard: reject },
}

for (const [name, changed] of Object.entries(steps)) {
  test(`${name} leaves no file of the upload open`, async (t) => {
    const { uploads, state } = await scene(t, changed)
    const before = openFileCount()
    await assert.rejects(uploads.complete(state, complete), failure)
    assert.equal(openFileCount(), before)
  })
}

test('a completed upload that was overwritten meanwhile leaves no file open', async (t) => {
  const { folder, staging, state } = await scene(t, {})
  const bytes = new StagedBytes(staging)
  const { staged } = JSON.parse(state)
  await (await bytes.open('u', staged, 5)).close()
  fs.writeFileSync(join(folder, 'spool/u'), 'other')
  const before = openFileCount()
  await assert.rejects(bytes.open('u', staged, 5), { kind: 'upload-gone' })
  assert.equal(openFileCount(), before)
})

test('a note that cannot be written leaves no file open', async (t) => {
  const { staging } = await scene(t, {})
  const bytes = new StagedBytes(staging)
  const write = fs.writeSync
  t.mock.method(fs, 'writeSync', (...given: Parameters<typeof write>) => {
    if (String(given[1]).startsWith('a note')) throw Object.assign(new Error(), { code: 'ENOSPC' })
    return write(...given)
  })
  const before = openFileCount()
  await assert.rejects(bytes.writeNote('u', 'a note'), { kind: 'full' })
  assert.equal(openFileCount(), before)
})
