import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { generatedFiles } from '../../../scripts/setting-docs.ts'
import type { Setting } from '../../../src/app/settings/setting.ts'
import { settingsTable } from '../../../src/app/settings/tables/settings-table.ts'

const files = generatedFiles(join(import.meta.dirname, '../../..'))
const names = Object.values<Setting<unknown>>(settingsTable).map(({ name }) => name)

test('generated documents are what npm run docs writes', () => {
  for (const { path, text } of files) {
    assert.equal(readFileSync(path, 'utf8'), text, `${path} is old: run npm run docs`)
  }
})

test('docs/configuration.md and .env.example name every setting once, in its order', () => {
  for (const { path, text } of files.slice(0, 2)) {
    const found = text.matchAll(/^(?:\| |#)([A-Z][A-Z0-9_]+)(?: \||=)/gm)
    assert.deepEqual(
      Array.from(found, ([, name]) => name),
      names,
      path,
    )
  }
})
