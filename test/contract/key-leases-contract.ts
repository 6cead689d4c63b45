import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { thisProcess } from '../../src/platform/process/identity.ts'
import type { Database } from '../../src/platform/state/database.ts'
import { type DatabaseLocation, openDatabase } from '../../src/platform/state/open-database.ts'
import { writeAll } from '../../src/platform/state/statements.ts'
import { DriveError } from '../../src/storage/drives/drive-error.ts'
import {
  type KeyLease,
  KeyLeases,
  type KeyLeasesOptions,
} from '../../src/storage/drives/kit/key-leases.ts'

const odd = 'bucket/a\u0000b"\\é🎉?'

import {
  DatabaseLeases,
  type KeyedLease,
  type LeaseTable,
} from '../../src/storage/drives/kit/key-lease-table.ts'
import { untilEndedCase } from './key-leases-waits.ts'

/** The name of a dead process: process 1 started long before this tick. */
const deadOwner = `${thisProcess.replace(/\/\d+\/\d*$/, '/1/99999999999999')} x`
const elsewhere = 'another-host/1/2 x'

const claim = (owner: string, untilMs = 100, note = '') => ({ owner, untilMs, note })

/** The contract of leases, for every database. */
export function describeKeyLeases(name: string, createLocation: () => Promise<DatabaseLocation>) {
  describe(`${name} key leases`, () => {
    let database: Database
    let table: DatabaseLeases
    before(async () => {
      database = await openDatabase(await createLocation(), { migrate: true })
      table = new DatabaseLeases(database)
    })
    after(() => database.close())
    describeTable(() => table)
    describeFence(
      () => database,
      () => table,
    )
    describeHolding(() => table)
  })
}

function describeTable(tableOf: () => LeaseTable) {
  test('take grants all keys or none', async () => {
    const table = tableOf()
    assert.ok(await table.take([odd, 'take/b'], claim('one'), []))
    assert.equal(await table.take(['take/a', odd], claim('two'), []), false)
    const { leases } = await table.look([odd, 'take/a', 'take/b'], [])
    assert.deepEqual(sorted(leases), [
      { key: odd, ...claim('one') },
      { key: 'take/b', ...claim('one') },
    ])
  })

  test('take replaces a lease only if it is unchanged, and keeps its note', async () => {
    const table = tableOf()
    await table.take(['seen'], claim('one', 100, 'what one did'), [])
    const { leases } = await table.look(['seen'], [])
    const [seen] = leases
    assert.ok(seen)
    assert.equal(await table.take(['seen'], claim('two', 200), [{ ...seen, untilMs: 99 }]), false)
    assert.ok(await table.take(['seen', 'seen too'], claim('two', 200), leases))
    assert.equal(await table.take(['seen'], claim('three', 200), leases), false)
    assert.deepEqual((await table.look(['seen'], [])).leases, [
      { key: 'seen', ...claim('two', 200, 'what one did') },
    ])
    await table.note(['seen'], 'one', 'not any more')
    await table.note(['seen'], 'two', 'what two does')
    assert.equal((await table.look(['seen'], [])).leases[0]?.note, 'what two does')
  })

  test('renew and release count for the owner only', async () => {
    const table = tableOf()
    await table.take(['own/a', 'own/b'], claim('one'), [])
    assert.ok(await table.renew(['own/a', 'own/b'], { owner: 'one', untilMs: 300 }))
    assert.equal(await table.renew(['own/a'], { owner: 'two', untilMs: 400 }), false)
    await table.release(['own/a'], { owner: 'two', bumped: [], keepsNote: false })
    assert.equal((await table.look(['own/a'], [])).leases[0]?.untilMs, 300)
    await table.release(['own/a', 'own/b'], { owner: 'one', bumped: [], keepsNote: false })
    assert.deepEqual((await table.look(['own/a', 'own/b'], [])).leases, [])
  })

  test('release bumps the revisions of these names', async () => {
    const table = tableOf()
    const names = ['folder one', 'folder two', odd]
    const before = await table.look([], names)
    await table.release([], { owner: 'x', bumped: [odd, 'folder one'], keepsNote: false })
    const { revisions } = await table.look([], names)
    const [one = 0, two, third = 0] = before.revisions
    assert.deepEqual(revisions, [one + 1, two, third + 1])
  })

  test('below finds the leases one level down, endedWithNote those whose holders gave up', async () => {
    const table = tableOf()
    await table.take(['up/a/b', 'up/a', 'up/a/b/c'], claim('one', 100, 'a note'), [])
    assert.deepEqual(await table.below(['up/a']), [claim('one', 100, 'a note')])
    assert.equal((await table.below(['up', 'up/a'])).length, 2)
    assert.deepEqual(await table.below(['nothing']), [])
    await table.release(['up/a'], { owner: 'one', bumped: [], keepsNote: true })
    assert.deepEqual(await table.endedWithNote(50, 10), [claim('one', 0, 'a note')])
    await table.release(['up/a', 'up/a/b', 'up/a/b/c'], {
      owner: 'one',
      bumped: [],
      keepsNote: false,
    })
  })
}

function describeFence(databaseOf: () => Database, tableOf: () => DatabaseLeases) {
  /** A change that only the holder of the key may commit. */
  const change = (owner: string) => {
    const bump = { sql: "UPDATE revisions SET revision = revision + 1 WHERE name = 'buckets'" }
    return writeAll(databaseOf(), [tableOf().heldBy('fence', owner), bump])
  }

  test('heldBy lets only the present holder change something', async () => {
    const table = tableOf()
    assert.equal(await change('one'), false)
    await table.take(['fence'], claim('one'), [])
    assert.ok(await change('one'))
    assert.equal(await change('two'), false)
    const { leases } = await table.look(['fence'], [])
    assert.deepEqual(leases, [{ key: 'fence', ...claim('one') }])
    await table.take(['fence'], claim('two'), leases)
    assert.equal(await change('one'), false)
    await table.release(['fence'], { owner: 'two', bumped: [], keepsNote: false })
    assert.equal(await change('two'), false)
  })
}

function describeHolding(tableOf: () => LeaseTable) {
  const leasesOf = (options: Partial<KeyLeasesOptions> = {}) =>
    new KeyLeases({ table: tableOf(), now: Date.now, ...options })

  test('hold lets one caller in at a time, across two processes, for any combination of keys', async () => {
    const processes = [leasesOf(), leasesOf()]
    const inside = new Set<string>()
    const work = (places: string[]) => async () => {
      for (const place of places) assert.ok(!inside.has(place), place)
      for (const place of places) inside.add(place)
      await sleep(1)
      for (const place of places) inside.delete(place)
      return places.length
    }
    const sets = [['h/a'], ['h/a', 'h/b'], ['h/b', 'h/a'], ['h/b'], ['h/c', 'h/a']]
    const results = await Promise.all(
      Array.from({ length: 40 }, (_, index) => {
        const places = sets[index % sets.length] ?? []
        return processes[index % 2]?.hold(places, work(places))
      }),
    )
    assert.equal(results.length, 40)
    assert.deepEqual((await tableOf().look(['h/a', 'h/b', 'h/c'], [])).leases, [])
  })

  test('hold returns the result of the work, releases the keys when it fails, and bumps revisions', async () => {
    const leases = leasesOf()
    assert.equal(await leases.hold(['w', 'w'], async () => 'done'), 'done')
    const before = await leases.look([], ['w folder'])
    const failing = leases.hold(['w'], async (lease) => {
      lease.bumpRevision('w folder')
      throw new RangeError('of the work')
    })
    await assert.rejects(failing, RangeError)
    const now = await leases.look(['w'], ['w folder'])
    assert.deepEqual(now.leases, [])
    assert.notDeepEqual(now.revisions, before.revisions)
  })

  test('hold succeeds when the release fails, and releases the keys later', async (t) => {
    const table = tableOf()
    const release = table.release.bind(table)
    let failures = 2
    t.mock.method(table, 'release', async (...given: Parameters<LeaseTable['release']>) => {
      if (failures-- > 0) throw new Error('the database does not respond')
      await release(...given)
    })
    const before = await table.look([], ['r folder'])
    const work = async (lease: KeyLease) => {
      lease.bumpRevision('r folder')
      return 'done'
    }
    assert.equal(await leasesOf().hold(['r'], work), 'done')
    assert.equal((await table.look(['r'], [])).leases.length, 1)
    await leasesOf().untilFree(['r'])
    assert.equal(failures, -1)
    assert.notDeepEqual((await table.look([], ['r folder'])).revisions, before.revisions)
    failures = 1
    const failing = leasesOf().holdIfFree(['r'], async () => {
      throw new RangeError('of the work')
    })
    await assert.rejects(failing, RangeError)
    await leasesOf().untilFree(['r'])
  })

  test('hold rejects with busy when a living holder keeps the lease', async () => {
    const [one, two] = [leasesOf(), leasesOf({ waitMs: 60 })]
    await one.hold(['busy'], async () => {
      await assert.rejects(two.hold(['busy'], never), isBusy)
      const third = two.hold(['busy'], never)
      await assert.rejects(Promise.all([third, two.hold(['busy'], never)]), isBusy)
      await assert.rejects(two.untilFree(['busy']), isBusy)
      await Promise.allSettled([third])
    })
    await leasesOf().untilFree(['busy'])
    assert.equal(await leasesOf().hold(['busy'], async () => 'free'), 'free')
  })

  untilEndedCase(leasesOf)

  test('hold ends with its signal, or when the drive is closed', async () => {
    const [one, two] = [leasesOf(), leasesOf()]
    await one.hold(['ended'], async () => {
      const reason = new RangeError('the client left')
      const controller = new AbortController()
      const waiting = [
        two.hold(['ended'], never, { signal: controller.signal }),
        two.hold(['ended'], never, { signal: controller.signal }),
      ]
      controller.abort(reason)
      for (const one of waiting) await assert.rejects(one, reason)
      const closed = assert.rejects(two.hold(['ended'], never), isUnavailable)
      two.close()
      await closed
    })
  })

  test('hold takes over from a dead process as soon as its note was handled', async () => {
    const notes: string[] = []
    const recover = async (note: string) => {
      notes.push(note)
      if (notes.length === 1) throw new DriveError('unavailable', 'not now')
    }
    const leases = leasesOf({ recover })
    await tableOf().take(['dead'], claim(deadOwner, Date.now() + 60_000, 'half done'), [])
    await assert.rejects(leases.hold(['dead'], never), isUnavailable)
    await leases.hold(
      ['dead', 'alive'],
      async () => {
        const { leases: held } = await leases.look(['dead'], [])
        assert.equal(held[0]?.note, 'my own')
      },
      { note: 'my own' },
    )
    assert.deepEqual(notes, ['half done', 'half done'])
    assert.deepEqual((await leases.look(['dead'], [])).leases, [])
  })

  test('hold leaves its own note where a dead process left none', async () => {
    const leases = leasesOf()
    await tableOf().take(['silent'], claim(deadOwner, Date.now() + 60_000), [])
    await leases.hold(
      ['silent', 'new'],
      async () => {
        const { leases: held } = await leases.look(['silent', 'new'], [])
        assert.deepEqual(held.map(({ note }) => note).sort(), ['my own', 'my own'])
      },
      { note: 'my own' },
    )
  })

  test('hold lets recovery hold the other requested keys', async () => {
    const held: string[] = []
    const leases = leasesOf({
      recover: async (note, lease) => {
        lease.assertHeld()
        await leases.hold(['outer'], async () => void held.push(note))
      },
    })
    await tableOf().take(['outer/inner'], claim(deadOwner, Date.now() + 60_000, 'half done'), [])
    await leases.hold(['outer', 'outer/inner'], async () => void held.push('then'))
    assert.deepEqual(held, ['half done', 'then'])
  })

  test('holdIfFree does nothing while another caller or host has a key', async () => {
    const [one, two] = [leasesOf(), leasesOf()]
    await one.hold(['if/a'], async () => {
      assert.equal(await one.holdIfFree(['if/b', 'if/a'], never), undefined)
      assert.equal(await two.holdIfFree(['if/a'], never), undefined)
    })
    await tableOf().take(['if/c'], claim(elsewhere, Date.now() + 10_000), [])
    assert.equal(await one.holdIfFree(['if/c'], never), undefined)
    await tableOf().take(['if/d'], claim(deadOwner, Date.now() + 10_000), [])
    // The keys are held until every caller has got them or was refused, however late it asks.
    const decided = Promise.withResolvers<void>()
    let undecided = 4
    const decide = () => {
      undecided -= 1
      if (undecided === 0) decided.resolve()
    }
    const works = Array.from({ length: undecided }, async (_, index) => {
      const result = await [one, two][index % 2]?.holdIfFree(['if/a', 'if/d'], async () => {
        decide()
        await decided.promise
        return 'done'
      })
      if (result === undefined) decide()
      return result
    })
    const results = await Promise.all(works)
    assert.deepEqual(
      results.filter((result) => result !== undefined),
      ['done'],
    )
    assert.deepEqual((await tableOf().look(['if/a', 'if/d'], [])).leases, [])
  })

  test('hold waits for the end of a lease from another host', async () => {
    let now = Date.now()
    const leases = leasesOf({ now: () => now })
    await tableOf().take(['far'], claim(elsewhere, now + 10_000), [])
    let isIn = false
    const holding = leases.hold(['far'], async () => {
      isIn = true
    })
    await sleep(50)
    assert.equal(isIn, false)
    now += 10_000
    await holding
  })

  test('leaveNote keeps the note for the next holder', async () => {
    const notes: string[] = []
    const leases = leasesOf({ recover: async (note) => void notes.push(note) })
    const failing = leases.hold(
      ['left'],
      async (lease) => {
        lease.leaveNote()
        throw new RangeError('of the work')
      },
      { note: 'unsure' },
    )
    await assert.rejects(failing, RangeError)
    await leases.hold(['left'], async () => undefined)
    await leases.hold(['left'], async () => undefined)
    assert.deepEqual(notes, ['unsure'])
  })

  test('assertHeld detects that the process was suspended', async () => {
    let now = Date.now()
    const leases = leasesOf({ now: () => now })
    await leases.hold(['asleep'], async (lease) => {
      lease.assertHeld()
      now += 60_000
      assert.throws(() => lease.assertHeld(), isBusy)
      assert.ok(lease.lost.aborted)
    })
  })

  test('isHeldBelow sees the leases of others only', async () => {
    const leases = leasesOf()
    await leases.hold(['tree/a/b'], async (lease) => {
      assert.equal(await leases.isHeldBelow(['tree/a'], 'somebody'), true)
      assert.equal(await leases.isHeldBelow(['tree/a'], lease.owner), false)
      assert.equal(await leases.isHeldBelow(['tree'], 'somebody'), false)
    })
    assert.equal(await leases.isHeldBelow(['tree/a'], 'somebody'), false)
  })

  test('isHeldBelow sees only the unfinished work of a dead process', async () => {
    const leases = leasesOf()
    await tableOf().take(['tree/c/d'], claim(deadOwner, Date.now() + 60_000), [])
    assert.equal(await leases.isHeldBelow(['tree/c'], 'somebody'), false)
    await tableOf().take(['tree/c/e'], claim(deadOwner, Date.now() + 60_000, 'half done'), [])
    assert.equal(await leases.isHeldBelow(['tree/c'], 'somebody'), true)
    for (const place of ['tree/c/d', 'tree/c/e']) await leases.hold([place], async () => undefined)
    assert.equal(await leases.isHeldBelow(['tree/c'], 'somebody'), false)
  })
}

function sorted(leases: readonly KeyedLease[]): KeyedLease[] {
  return leases.toSorted((a, b) => (a.key < b.key ? -1 : 1))
}

async function never(): Promise<never> {
  throw new Error('two at once')
}

function isBusy(error: unknown): boolean {
  return error instanceof DriveError && error.kind === 'busy'
}

function isUnavailable(error: unknown): boolean {
  return error instanceof DriveError && error.kind === 'unavailable'
}
