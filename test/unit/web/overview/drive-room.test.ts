import assert from 'node:assert/strict'
import { test } from 'node:test'
import { driveRoom } from '../../../../web/src/overview/drive/drive-room.ts'

const gib = 1024 ** 3

test('driveRoom describes the used and free space', () => {
  assert.deepEqual(driveRoom({ freeBytes: 75 * gib, totalBytes: 100 * gib }), {
    usedPercent: 25,
    level: 'roomy',
    text: '25.0 GiB of 100 GiB used, 75.0 GiB free',
  })
})

for (const [freePercent, level] of [
  [16, 'roomy'],
  [15, 'tight'],
  [5, 'full'],
  [0, 'full'],
] as const) {
  test(`driveRoom with ${freePercent} % free is ${level}`, () => {
    const room = driveRoom({ freeBytes: freePercent * gib, totalBytes: 100 * gib })
    assert.equal(room?.level, level)
  })
}

for (const drive of [
  { freeBytes: null, totalBytes: 1 },
  { freeBytes: 1, totalBytes: null },
  { freeBytes: 0, totalBytes: 0 },
]) {
  test(`driveRoom of ${JSON.stringify(drive)} is not known`, () => {
    assert.equal(driveRoom(drive), undefined)
  })
}

test('driveRoom stays within the bar when a drive reports more free than total space', () => {
  assert.equal(driveRoom({ freeBytes: 2 * gib, totalBytes: gib })?.usedPercent, 0)
})
