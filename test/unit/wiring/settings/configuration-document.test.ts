import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Setting } from '../../../../src/wiring/settings/setting.ts'
import { settingsTable } from '../../../../src/wiring/settings/table.ts'

const document = readFileSync(new URL('../../../../docs/configuration.md', import.meta.url), 'utf8')

test('docs/configuration.md lists every setting as the program has it, in its order', () => {
  const expected = Object.values<Setting<unknown>>(settingsTable).map((setting) => {
    const fallback = setting.default === '' ? 'none' : `\`${setting.default}\``
    const secret = setting.isSecret ? ' Secret.' : ''
    return `| ${setting.name} | ${setting.whenUnset ?? fallback} | ${setting.meaning}${secret} |`
  })
  const rows = document.split('\n').filter((line) => /^\| [A-Z_]+ \|.*\|.*\|$/.test(line))
  assert.deepEqual(rows, expected)
})
