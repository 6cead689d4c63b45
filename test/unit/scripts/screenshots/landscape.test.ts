import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Landscape, landscapeSvg } from '../../../../scripts/screenshots/landscape.ts'

const look: Landscape = {
  seed: 1,
  sky: ['#000000', '#102030', '#ffffff'],
  ridges: ['#808080', '#000000'],
  sun: '#ffffff',
  sunAt: [0.5, 0.4],
  hasLake: true,
}

test('landscapeSvg draws the same picture from the same seed, and another from another', () => {
  assert.equal(landscapeSvg(look), landscapeSvg({ ...look }))
  assert.notEqual(landscapeSvg(look), landscapeSvg({ ...look, seed: 2 }))
})

test('landscapeSvg draws a lake only where there is one', () => {
  assert.match(landscapeSvg(look), /<use href="#land"/)
  assert.doesNotMatch(landscapeSvg({ ...look, hasLake: false }), /<use/)
})
