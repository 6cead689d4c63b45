import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ArchiveSlots } from '../../../../src/dashboard/shares/archive-slots.ts'
import type { StreamBody } from '../../../../src/platform/http/message.ts'

const chunk = Buffer.from('PK')

/** ReplySlots, and a ZIP file in one of them, whose client takes its chunk when `take` is called. */
function open() {
  const clock = { now: 1_000 }
  const places = new ArchiveSlots(() => clock.now)
  const begin = (shareId: string) => {
    const place = places.enter(shareId)
    if (place === undefined) return undefined
    const state = { isClosed: false }
    const zip: StreamBody = {
      length: undefined,
      lend: async (borrow) => {
        await borrow(chunk)
        await borrow(chunk)
      },
      close: async () => {
        state.isClosed = true
      },
    }
    const body = place.around(zip)
    const takers: PromiseWithResolvers<void>[] = []
    const sent = body.lend(() => {
      const taken = Promise.withResolvers<void>()
      takers.push(taken)
      return taken.promise
    })
    sent.catch(() => undefined)
    return {
      state,
      body,
      sent,
      take: () => takers.at(-1)?.resolve(),
      drop: () => takers.at(-1)?.reject(new Error('gone')),
    }
  }
  return { clock, begin }
}

test('a share has two of four places', () => {
  const { begin } = open()
  assert.ok(begin('a') && begin('a'))
  assert.equal(begin('a'), undefined)
  assert.ok(begin('b') && begin('b'))
  assert.equal(begin('c'), undefined)
})

test('what nobody reads makes room for others, the one that waits longest first', async () => {
  const { clock, begin } = open()
  const read = begin('a') ?? assert.fail()
  const unread = begin('a') ?? assert.fail()
  clock.now += 9_000
  read.take()
  await new Promise(setImmediate)
  clock.now += 999
  assert.equal(begin('a'), undefined)
  clock.now += 1
  const next = begin('a') ?? assert.fail()
  await assert.rejects(unread.sent, /did not read/)
  // The connection closes after `close`. Only then the bytes are not the socket's any more.
  await unread.body.close()
  assert.equal(unread.state.isClosed, false)
  unread.drop()
  await new Promise(setImmediate)
  assert.equal(unread.state.isClosed, true)
  assert.equal(begin('a'), undefined)
  for (const zip of [read, next]) {
    zip.take()
    await new Promise(setImmediate)
    zip.take()
    await zip.sent
    await zip.body.close()
    assert.equal(zip.state.isClosed, true)
  }
  assert.ok(begin('a') && begin('a'))
})
