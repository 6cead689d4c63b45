import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Setting } from '../../../../src/wiring/settings/setting.ts'
import { settingsTable } from '../../../../src/wiring/settings/table.ts'

const root = new URL('../../../../', import.meta.url)
const document = readFileSync(new URL('docs/configuration.md', root), 'utf8')
const example = readFileSync(new URL('.env.example', root), 'utf8')
const settings = Object.values<Setting<unknown>>(settingsTable)

test('docs/configuration.md lists every setting as the program has it, in its order', () => {
  const expected = settings.map((setting) => {
    const fallback = setting.default === '' ? 'none' : `\`${setting.default}\``
    const secret = setting.isSecret ? ' Secret.' : ''
    return `| ${setting.name} | ${setting.whenUnset ?? fallback} | ${setting.meaning}${secret} |`
  })
  const rows = document.split('\n').filter((line) => /^\| [A-Z_]+ \|.*\|.*\|$/.test(line))
  assert.deepEqual(rows, expected)
})

test('.env.example has every setting, commented out, with its meaning and default', () => {
  const expected = settings.map(({ name, meaning, whenUnset, default: value = '' }) => {
    const unset = whenUnset === undefined ? '' : ` Unset: ${whenUnset.replaceAll('`', '')}.`
    return `# ${meaning.replaceAll('`', '')}${unset}\n#${name}=${whenUnset === undefined ? value : ''}\n`
  })
  assert.equal(example.slice(example.indexOf('\n\n') + 2), expected.join('\n'))
})
