import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kindIcon } from '../../../../src/dashboard/shares/kind-icon.ts'
import { fileKind } from '../../../../src/platform/text/file-kind.ts'

test('each kind of file has its own icon, drawn within the sheet of paper', () => {
  const names = [
    'a.jpg',
    'a.mp4',
    'a.mp3',
    'a.pdf',
    'a.md',
    'a.docx',
    'a.csv',
    'a.pptx',
    'a.zip',
    'a.py',
  ]
  const icons = [...names, 'a', 'a.xyz'].map((name) => kindIcon(fileKind(`b.zip/${name}`)).markup)
  assert.equal(new Set(icons).size, names.length + 1)
  for (const [index, name] of names.entries()) {
    const path = / d="([^"]*)"/.exec(icons[index] ?? '')?.[1] ?? ''
    // A mark that begins with a relative move would be drawn beside the sheet.
    assert.match(path, /v5h5M/, name)
  }
  assert.match(kindIcon('folder').markup, /data-file-kind="folder"/)
})
