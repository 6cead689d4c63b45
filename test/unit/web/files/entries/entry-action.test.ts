import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Entry } from '../../../../../web/src/files/entries/entry.ts'
import { actionObstacle, actionsFor } from '../../../../../web/src/files/entries/entry-action.ts'

function file(key: string): Entry {
  return { kind: 'file', key, name: key, size: 0, modifiedAtMs: 0, etag: '' }
}
const folder: Entry = { kind: 'folder', key: 'd/', name: 'd' }

describe('actionsFor', () => {
  test('returns all actions for one file', () => {
    const actions = actionsFor([file('a')])
    assert.ok(actions.includes('share') && actions.includes('rename'))
    assert.ok(actions.includes('details') && actions.includes('star'))
  })

  test('shares and downloads a folder', () => {
    const actions = actionsFor([folder])
    assert.ok(actions.includes('share') && actions.includes('download'))
  })

  test('returns the actions that apply to several entries', () => {
    assert.deepEqual(actionsFor([file('a'), folder]), [
      'measure',
      'download',
      'share',
      'star',
      'move',
      'copy',
      'duplicate',
      'edit',
      'delete',
      'erase',
    ])
    assert.deepEqual(actionsFor([]), [])
  })
})

describe('actionObstacle', () => {
  test('lets several entries be downloaded, whatever their paths', () => {
    assert.equal(actionObstacle('download', [file('a/../b'), folder]), undefined)
    assert.equal(actionObstacle('download', [file('a')]), undefined)
  })

  test('shares as many as a link can have', () => {
    const files = Array.from({ length: 501 }, (_, index) => file(String(index)))
    assert.equal(actionObstacle('share', files.slice(1)), undefined)
    assert.match(actionObstacle('share', files) ?? '', /up to 500/)
  })

  test('disables actions that need a path the browser cannot request', () => {
    const odd = [file('a/../b')]
    for (const action of ['open', 'download', 'share'] as const) {
      assert.match(actionObstacle(action, odd) ?? '', /Rename/)
    }
    for (const action of ['rename', 'move', 'delete', 'copy-uri'] as const) {
      assert.equal(actionObstacle(action, odd), undefined)
    }
  })
})
