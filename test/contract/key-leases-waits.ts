import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KeyLeases, KeyLeasesOptions } from '../../src/storage/drives/kit/key-leases.ts'

/** A case of `describeKeyLeases`. */
export function untilEndedCase(leasesOf: (options?: Partial<KeyLeasesOptions>) => KeyLeases): void {
  test('untilEnded waits only for holders with such a note that have begun before', async () => {
    const leases = leasesOf()
    const order: string[] = []
    const first = Promise.withResolvers<void>()
    const later = Promise.withResolvers<void>()
    const held: Promise<void>[] = []
    const hold = async (key: string, note: string, until: Promise<void>) => {
      const begun = Promise.withResolvers<void>()
      const work = async () => {
        begun.resolve()
        await until
      }
      held.push(leases.hold([key], work, { note }))
      await begun.promise
    }
    await hold('ended/a', 'meant', first.promise)
    await hold('ended/b', 'other', later.promise)
    const ended = leases.untilEnded((note) => note === 'meant').then(() => order.push('ended'))
    // Its first look at the leases is over.
    for (let look = 0; look < 3; look += 1) await leases.look(['ended/a'], [])
    await hold('ended/c', 'meant', later.promise)
    order.push('released')
    first.resolve()
    await ended
    later.resolve()
    await Promise.all(held)
    assert.deepEqual(order, ['released', 'ended'])
    const short = leasesOf({ waitMs: 60 })
    await leases.hold(
      ['ended/a'],
      async () => {
        await assert.rejects(
          short.untilEnded((note) => note === 'meant'),
          { kind: 'busy' },
        )
      },
      { note: 'meant' },
    )
  })
}
