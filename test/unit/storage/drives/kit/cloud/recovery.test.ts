import assert from 'node:assert/strict'
import { test } from 'node:test'
import { thisProcess } from '../../../../../../src/platform/process/identity.ts'
import { DriveError } from '../../../../../../src/storage/drives/drive-error.ts'
import { Recovery } from '../../../../../../src/storage/drives/kit/cloud/recovery.ts'
import type {
  KeyedLease,
  LeaseTable,
} from '../../../../../../src/storage/drives/kit/key-lease-table.ts'

const nowMs = 1_000_000

/** A table in memory, with the leases of a writer that is gone. */
class FakeTable implements LeaseTable {
  leases: KeyedLease[]
  readonly limits: number[] = []

  constructor(records: readonly string[], owner = 'elsewhere/1/1 a') {
    this.leases = records.map((note) => ({ key: note, note, owner, untilMs: nowMs - 1 }))
  }

  async take(
    keys: readonly string[],
    claim: Omit<KeyedLease, 'key'>,
    ended: readonly KeyedLease[],
  ) {
    const { leases } = await this.look(keys)
    if (leases.some((lease) => !ended.includes(lease))) return false
    const note = (key: string) => this.leases.find((one) => one.key === key)?.note ?? ''
    const taken = keys.map((key) => ({ ...claim, key, note: claim.note || note(key) }))
    this.leases = [...this.leases.filter(({ key }) => !keys.includes(key)), ...taken]
    return true
  }

  async note() {
    return undefined
  }

  async renew() {
    return true
  }

  async release(keys: readonly string[], { keepsNote }: { readonly keepsNote: boolean }) {
    this.leases = this.leases.flatMap((lease) => {
      if (!keys.includes(lease.key)) return [lease]
      return keepsNote ? [{ ...lease, owner: '', untilMs: 0 }] : []
    })
  }

  async look(keys: readonly string[]) {
    return { leases: this.leases.filter(({ key }) => keys.includes(key)), revisions: [] }
  }

  async below() {
    return []
  }

  async endedWithNote(_: number, limit: number) {
    this.limits.push(limit)
    return this.leases.filter(({ note }) => note !== '').slice(0, limit)
  }
}

function recoveryOf(table: FakeTable, recover: (record: string) => Promise<void>) {
  const recovery = new Recovery({ table, now: () => nowMs })
  const leaseKeysOf = (record: string) => (record.startsWith('foreign') ? [] : [record])
  recovery.handleWith({ leaseKeysOf, recover })
  return recovery
}

test('recoverAll recovers what dead processes were doing, and leaves live ones alone', async () => {
  const table = new FakeTable(['a', 'b'])
  const live = { key: 'c', note: 'c', owner: `${thisProcess} x`, untilMs: nowMs + 60_000 }
  table.leases.push(live)
  const recovered: string[] = []
  const recovery = recoveryOf(table, async (record) => void recovered.push(record))
  assert.deepEqual(await recovery.recoverAll(), { isComplete: true, failures: [] })
  assert.deepEqual(recovered.sort(), ['a', 'b'])
  assert.deepEqual(table.leases, [live])
})

test('recoverAll reports what it could not recover, and recovers the rest', async () => {
  const table = new FakeTable(['a', 'b', 'foreign'])
  const failure = new DriveError('unavailable', 'no answer')
  const recovery = recoveryOf(table, async (record) => {
    if (record === 'a') throw failure
  })
  assert.deepEqual(await recovery.recoverAll(), { isComplete: false, failures: [failure] })
  assert.deepEqual(
    table.leases.map(({ note }) => note),
    ['foreign', 'a'],
  )
})

test('recoverAll reads more leases when it can recover none of the first', async () => {
  const foreign = Array.from({ length: 1_500 }, (_, index) => `foreign ${index}`)
  const table = new FakeTable([...foreign, 'a'])
  const recovered: string[] = []
  const recovery = recoveryOf(table, async (record) => void recovered.push(record))
  assert.equal((await recovery.recoverAll()).isComplete, true)
  assert.deepEqual(recovered, ['a'])
  assert.deepEqual(table.limits, [1_000, 2_000, 2_000])
})

test('recoverAll rejects with a DriveError when the database fails', async () => {
  const table = new FakeTable([])
  table.endedWithNote = async () => {
    throw new Error('lost')
  }
  const recovery = recoveryOf(table, async () => undefined)
  await assert.rejects(recovery.recoverAll(), { name: 'DriveError', kind: 'unavailable' })
})
