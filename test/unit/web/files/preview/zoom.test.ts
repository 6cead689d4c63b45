import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fitting, moved, zoomed } from '../../../../../web/src/files/preview/zoom.ts'

/** A photo that fits into the stage by its width. */
const frame = { width: 1000, height: 500, stageWidth: 1000, stageHeight: 800, naturalWidth: 4000 }

describe('the zoom of a picture', () => {
  test('keeps the point that it enlarges where it is', () => {
    const at = { x: 200, y: -100 }
    const zoom = zoomed(fitting, 4, at, frame)
    assert.deepEqual(zoom, { scale: 4, x: -600, y: 300 })
    // The point of the picture below the pointer.
    assert.deepEqual([(at.x - zoom.x) / zoom.scale, (at.y - zoom.y) / zoom.scale], [200, -100])
  })

  test('is never smaller than the picture fits, nor larger than four screen pixels for one', () => {
    assert.deepEqual(zoomed({ scale: 2, x: 300, y: 0 }, 0.1, { x: 5, y: 5 }, frame), fitting)
    assert.equal(zoomed(fitting, 1_000, { x: 0, y: 0 }, frame).scale, 16)
  })

  test('does not move a picture out of the stage', () => {
    assert.deepEqual(moved(fitting, { x: 50, y: 50 }, frame), fitting)
    const zoom = { scale: 2, x: 0, y: 0 }
    assert.deepEqual(moved(zoom, { x: 9_000, y: -9_000 }, frame), { scale: 2, x: 500, y: -100 })
  })
})
