import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deletionText } from '../../../../../web/src/files/change/deletion-text.ts'

for (const [deletes, text] of [
  ['permanent', /permanently. This cannot be undone/],
  ['trash', /trash of Google Drive/],
  ['server', /Nextcloud .* trash if it is enabled. Other WebDAV servers .* permanently/],
  [undefined, /may not be able to undo/],
] as const) {
  test(`the delete dialog says what happens to deleted files: ${deletes}`, () => {
    assert.match(deletionText(deletes), text)
  })
}
