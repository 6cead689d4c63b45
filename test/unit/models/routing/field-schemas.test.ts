import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { z } from 'zod'
import * as fields from '../../../../src/models/routing/field-schemas.ts'
import { exportFile } from '../../../../src/models/routing/import/export-file.ts'
import { readExport } from '../../../../src/models/routing/import/read-export.ts'
import { routingInput } from '../../../../src/models/routing/routing-schemas.ts'
import { cpuMsOf, leastCpuMsOf } from '../../../support/cpu-time.ts'

const mebibyte = 1024 * 1024
/** Texts that make a pattern look at each place again and again. */
const hostile = {
  letters: 'x'.repeat(mebibyte),
  blanks: ' '.repeat(mebibyte),
  'letters and a slash': `${'x'.repeat(mebibyte)}/`,
  slashes: '/'.repeat(mebibyte),
  'blanks behind a slash': `a/${' '.repeat(mebibyte)}`,
  'hex runs': '-deadbeef'.repeat(mebibyte / 9),
}
const empty = { connections: [], combos: [], customModels: [], modelAliases: {} }

function assertFast(work: () => unknown): void {
  const tookMs = leastCpuMsOf(work)
  assert.ok(tookMs < 50, `${tookMs} ms`)
}

describe('a text of 1 MiB is refused at once', () => {
  const schemas = Object.entries<unknown>(fields).filter((entry): entry is [string, z.ZodType] => {
    return typeof entry[1] === 'object'
  })
  for (const [name, schema] of schemas) {
    for (const [kind, text] of Object.entries(hostile)) {
      test(`${name}: ${kind}`, () => {
        // White space around a pasted key is taken off before anything else.
        const isTaken = name === 'apiKey' && kind.startsWith('blanks')
        assertFast(() => assert.equal(schema.safeParse(text).success, isTaken))
      })
    }
  }

  for (const [kind, text] of Object.entries(hostile)) {
    test(`in a state and in a file: ${kind}`, () => {
      for (const modelAliases of [{ a: text }, { [text]: 'a/b' }]) {
        assertFast(() => assert.ok(!routingInput.safeParse({ ...empty, modelAliases }).success))
        assertFast(() => assert.ok(!exportFile.safeParse({ modelAliases }).success))
      }
    })
  }
})

test('an alias as long as it may be is read at once from a file that has 10,000', () => {
  const target = `${'x '.repeat(249)}/`
  const aliases = Array.from({ length: 10_000 }, (_, index) => [`a${index}`, target])
  const file = exportFile.parse({ modelAliases: Object.fromEntries(aliases) })
  const tookMs = cpuMsOf(() => assert.equal(readExport(file).leftOut.length, 10_000))
  assert.ok(tookMs < 1_000, `${tookMs} ms`)
})

test('more aliases than there may be are refused before they are looked at', () => {
  const many = Object.fromEntries(Array.from({ length: 10_001 }, (_, index) => [`a${index}`, 5]))
  for (const result of [
    routingInput.safeParse({ ...empty, modelAliases: many }),
    exportFile.safeParse({ modelAliases: many }),
  ]) {
    assert.deepEqual(
      result.error?.issues.map(({ path, message }) => [path, message]),
      [[['modelAliases'], 'expected at most 10000 aliases']],
    )
  }
})

describe('aliasTarget', () => {
  const isTarget = {
    'a/b': true,
    ' a /b/c': true,
    'a//': true,
    'a/ b': true,
    '/b': false,
    ' /b': false,
    'a/': false,
    'a/ ': false,
    a: false,
    '//b': false,
  }
  for (const [text, expected] of Object.entries(isTarget)) {
    test(`${expected ? 'takes' : 'refuses'} ${JSON.stringify(text)}`, () => {
      assert.equal(fields.aliasTarget.safeParse(text).success, expected)
    })
  }
})
