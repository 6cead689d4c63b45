import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deletionText } from '../../../../../web/src/files/change/deletion-text.ts'

for (const [deletes, text] of [
  ['permanent', /permanently. This cannot be undone/],
  ['trash', /trash of Google Drive/],
  ['server', /Nextcloud .* trash if it is enabled. Other WebDAV servers .* permanently/],
  [undefined, /may not be able to undo/],
] as const) {
  test(`Before something is deleted it is said what becomes of it: ${deletes}`, () => {
    assert.match(deletionText(deletes), text)
  })
}
