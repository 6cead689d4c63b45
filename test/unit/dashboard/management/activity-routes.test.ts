import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  ActivityRecorder,
  keptActivity,
  type NotedRequest,
} from '../../../../src/dashboard/management/activity-recorder.ts'
import { ActivityTable } from '../../../../src/dashboard/management/activity-table.ts'
import { type Ending, openManagement, openTestDatabase } from './management-fixture.ts'

const noted = (index: number, changes: Partial<NotedRequest> = {}): NotedRequest => ({
  ...{ atMs: 1_700_000_000_000 + index, requestId: `R${index}`, method: 'PUT', bucket: 'files' },
  ...{ key: `k\0${index}`, operation: 'PutObject', status: 200, code: null, reason: null },
  ...{ remoteAddress: '192.0.2.1', by: 'owner', accessKey: null, action: null, ...changes },
})

async function openActivity(t: Ending) {
  const table = new ActivityTable(await openTestDatabase(t), keptActivity)
  const recorder = new ActivityRecorder(table)
  const { send } = await openManagement(t, {
    activity: {
      page: (page) => table.page(Date.now(), page),
      clear: () => table.clear(Date.now()),
    },
  })
  const ids = async (query: string): Promise<readonly string[]> => {
    const { status, body, text } = await send('GET', `/activity${query}`)
    assert.equal(status, 200, text)
    return body.requests.map(({ requestId }: { requestId: string }) => requestId)
  }
  return { recorder, send, ids }
}

test('activity is filtered by every field, and pages go on where they ended', async (t) => {
  const { recorder, send, ids } = await openActivity(t)
  recorder.note('failure', noted(1, { status: 403, code: 'AccessDenied', reason: 'The clock.' }))
  recorder.note('own', noted(2, { status: 507, by: 'dashboard', bucket: 'public' }))
  recorder.note('change', noted(3, { by: 'key', accessKey: 'photo frame', key: '50%_Ü' }))
  recorder.note('change', noted(4, { operation: 'DeleteObject', key: null, bucket: null }))
  await recorder.flush()
  assert.deepEqual(await ids(''), ['R4', 'R3', 'R2', 'R1'])
  for (const [query, expected] of [
    ['?what=changes', ['R4', 'R3']],
    ['?what=failures', ['R2', 'R1']],
    ['?bucket=public', ['R2']],
    ['?key=%25_', ['R3']],
    ['?accessKey=photo%20frame', ['R3']],
    ['?accessKey=dashboard', ['R2']],
    ['?operation=DeleteObject', ['R4']],
    ['?status=403', ['R1']],
    ['?status=5xx', ['R2']],
    ['?search=CLOCK%20files', ['R1']],
    ['?search=nothing', []],
    ['?search=nothing%7Cdeleteobject', ['R4']],
    ['?search=nothing%7C', []],
    ['?search=%7C%20clock', ['R1']],
    ['?search=4xx', ['R1']],
    ['?search=xx', []],
    ['?from=2023-11-14T22:13:20.003Z', ['R4', 'R3']],
    ['?after=1700000000003.R3', ['R2', 'R1']],
  ] as const) {
    assert.deepEqual(await ids(query), expected, query)
  }
  for (const query of [
    '?status=4',
    '?after=x',
    '?from=today',
    `?key=${'x'.repeat(2_000)}`,
    '?a=b',
  ]) {
    assert.equal((await send('GET', `/activity${query}`)).status, 400, query)
  }
})

test('a filter looks through all that is kept, a hundred matches at a time', async (t) => {
  const { recorder, send, ids } = await openActivity(t)
  for (let second = 0; second < 13; second++) {
    for (let index = 0; index < 100; index++) {
      const bucket = index % 10 === 0 ? 'rare' : 'files'
      recorder.note('change', noted(second * 100 + index, { bucket }))
    }
    await recorder.flush()
  }
  const { body } = await send('GET', '/activity?bucket=rare')
  assert.equal(body.requests.length, 100)
  assert.deepEqual((await ids(`?bucket=rare&after=${body.next}`)).length, 30)
  assert.equal(body.requests[0].requestId, 'R1290')
})
