import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type EditClient, editJob } from '../../../../../web/src/files/edit/edit-job.ts'
import { type FileEntry, folderEntry } from '../../../../../web/src/files/entries/entry.ts'
import { JobList } from '../../../../../web/src/files/transfers/job-list.ts'

const file = (key: string): FileEntry => ({
  ...{ kind: 'file', key, name: key, size: 1, modifiedAtMs: 0, etag: 'e' },
})
const change = { headers: new Map(), metadata: new Map() }

function clientOf(changes: Partial<EditClient> = {}) {
  const edited: string[] = []
  const client: EditClient = {
    listTree: async (prefix, token) => ({
      entries: token === undefined ? [file(`${prefix}`), file(`${prefix}1`)] : [file(`${prefix}2`)],
      keys: [],
      continuationToken: token === undefined ? 'more' : undefined,
    }),
    async edit({ key }) {
      edited.push(key)
      return true
    },
    reasonOf: (error) => (error instanceof RangeError ? error.message : undefined),
    ...changes,
  }
  return { client, edited }
}

test('files and all files in folders are edited, but not the object of a folder', async () => {
  const { client, edited } = clientOf()
  const entries = [file('a'), folderEntry('f/', '')]
  const job = await new JobList().start(editJob('Editing', entries, change, client))
  assert.deepEqual(edited, ['a', 'f/1', 'f/2'])
  assert.deepEqual([job.state, job.outcome], ['done', '3 files changed.'])
})

test('what is not edited is listed with its reason, and the others go on', async () => {
  const { client } = clientOf({
    async edit({ key }) {
      if (key === 'bad') throw new RangeError('It has changed.')
      return key !== 'same'
    },
  })
  const entries = [file('bad'), file('same'), file('good'), file('a/../b')]
  const job = await new JobList().start(editJob('Editing', entries, change, client))
  assert.equal(job.outcome, '1 file changed, 1 already had these values, 2 not changed.')
  assert.deepEqual([...job.problems].sort(), [
    'a/../b: Its path has “.” or “..” in it.',
    'bad: It has changed.',
  ])
  assert.deepEqual([job.done, job.total], [4, 4])
})

test('a failure of the service stops everything and says what was done', async () => {
  const { client, edited } = clientOf({
    async edit({ key }) {
      edited.push(key)
      if (key === '3') throw new Error('Read-only.')
      return true
    },
  })
  const entries = Array.from({ length: 100 }, (_, index) => file(String(index)))
  const job = await new JobList().start(editJob('Editing', entries, change, client))
  assert.equal(job.state, 'failed')
  assert.match(job.outcome ?? '', /^Stopped. \d files? changed. Read-only. Try again to continue.$/)
  assert.ok(edited.length < 10)
})

test('a job that is stopped begins no more files', async () => {
  const jobs = new JobList()
  const { client, edited } = clientOf({
    async edit({ key }) {
      edited.push(key)
      jobs.forgetAll()
      return true
    },
  })
  const entries = Array.from({ length: 100 }, (_, index) => file(String(index)))
  const job = await jobs.start(editJob('Editing', entries, change, client))
  assert.equal(job.state, 'cancelled')
  assert.ok(edited.length <= 4)
  assert.match(job.outcome ?? '', /^Stopped. \d files? changed.$/)
})
