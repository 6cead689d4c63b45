import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freePlaces } from '../../../../../web/src/files/change/free-places.ts'
import { moveTo } from '../../../../../web/src/files/change/move-plan.ts'

const place = { bucket: 'b', prefix: 'in/' }

test('copies beside their originals get the next free number', async () => {
  const file = { name: 'a.txt', size: 1, modifiedAtMs: 0, etag: 'e' }
  const moves = [
    moveTo({ ...file, kind: 'file', key: 'in/a.txt' }, 'b', place),
    moveTo({ kind: 'folder', key: 'in/trip/', name: 'trip' }, 'b', place),
  ]
  const taken = ['in/trip (2)/', 'in/trip (3)/']
  const placed = await freePlaces(moves, {
    freeKeys: async (_bucket, keys) => new Map(keys.map((key) => [key, `${key} free`])),
    isListed: async (_bucket, folder) => taken.includes(folder),
  })
  assert.deepEqual(
    placed.map(({ to }) => to),
    ['in/a.txt free', 'in/trip (4)/'],
  )
})

test('says so if every number is taken', async () => {
  const moves = [moveTo({ kind: 'folder', key: 'in/trip/', name: 'trip' }, 'b', place)]
  const client = { freeKeys: async () => new Map(), isListed: async () => true }
  await assert.rejects(freePlaces(moves, client), /too many copies/)
})
