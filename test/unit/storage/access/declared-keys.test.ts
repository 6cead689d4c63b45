import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createSealer } from '../../../../src/platform/state/sealer.ts'
import {
  type AccessKeyEdit,
  AccessKeyTable,
} from '../../../../src/storage/access/access-key-table.ts'
import {
  applyDeclaredKeys,
  type DeclaredKey,
  DeclaredKeyError,
} from '../../../../src/storage/access/declared-keys.ts'
import { openTestDatabase } from '../../dashboard/management/management-fixture.ts'

const sealer = createSealer('secret', 'accessKeys')

const declared = (accessKeyId: string, more: Partial<DeclaredKey> = {}): DeclaredKey => ({
  ...{ accessKeyId, secretKey: 'hush', name: accessKeyId, note: '', grants: [], limits: {} },
  ...{ expiresAtMs: null, ...more },
})

async function world(t: TestContext) {
  const table = new AccessKeyTable(await openTestDatabase(t))
  const writes: (readonly AccessKeyEdit[])[] = []
  const watched = {
    fromFile: () => table.fromFile(),
    find: (accessKeyId: string) => table.find(accessKeyId),
    edit(edits: readonly AccessKeyEdit[]) {
      writes.push(edits)
      return table.edit(edits)
    },
  }
  const apply = (...keys: DeclaredKey[]) =>
    applyDeclaredKeys(keys, { table: watched, sealer, now: () => 1_000 })
  const secrets = async () =>
    Object.fromEntries(
      (await table.all()).map((row) => [row.accessKeyId, sealer.open(row.secret, row.accessKeyId)]),
    )
  return { table, writes, apply, secrets }
}

test('Declared keys are added, changed and revoked; the same list writes nothing', async (t) => {
  const { table, writes, apply, secrets } = await world(t)
  await apply(declared('A'), declared('B'))
  assert.deepEqual(await secrets(), { A: 'hush', B: 'hush' })
  await apply(declared('B'), declared('A'))
  assert.equal(writes.length, 1)
  await apply(declared('A', { secretKey: 'new', name: 'renamed', expiresAtMs: 5 }))
  assert.deepEqual(await secrets(), { A: 'new' })
  const row = await table.find('A')
  assert.equal(row?.expiresAtMs, 5)
  assert.match(row?.json ?? '', /renamed/)
  await apply(declared('A'), declared('B', { secretKey: 'again' }))
  assert.deepEqual(await secrets(), { A: 'hush', B: 'again' })
  await apply()
  assert.deepEqual(await secrets(), {})
})

test('Keys made at run time stay, and their IDs cannot be declared', async (t) => {
  const { table, apply, secrets } = await world(t)
  const secret = sealer.seal('own', 'MADE')
  const row = { accessKeyId: 'MADE', secret, json: '{}', source: 'created' } as const
  await table.edit([{ kind: 'insert', row: { ...row, createdAtMs: 1, expiresAtMs: 0 } }])
  await apply(declared('A'))
  await apply()
  assert.deepEqual(await secrets(), { MADE: 'own' })
  await assert.rejects(apply(declared('MADE')), DeclaredKeyError)
})

test('Gateways that start at the same time apply the same list once', async (t) => {
  const { apply, secrets } = await world(t)
  await Promise.all([apply(declared('A')), apply(declared('A')), apply(declared('A'))])
  assert.deepEqual(await secrets(), { A: 'hush' })
})
