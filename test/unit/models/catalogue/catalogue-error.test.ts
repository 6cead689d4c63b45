import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import {
  type JsonPath,
  linesOf,
  syntaxMistake,
} from '../../../../src/models/catalogue/catalogue-error.ts'
import { jsonPath } from '../../../../src/platform/json-api/api-error.ts'
import { leastCpuMsOf } from '../../../support/cpu-time.ts'

const lineOf = (text: string, path: JsonPath) => linesOf(text, [path])[0]

const text = `[
  { "id": "a", "models": [] },
  { "id": "b \\" \\u00e9 {",
    "models": [
      { "id": "x" }, { "id":
        "y" }
    ]
  }
]
`

describe('linesOf', () => {
  const values: readonly (readonly [path: JsonPath, line: number])[] = [
    [[], 1],
    [[0], 2],
    [[1, 'id'], 3],
    [[1, 'models', 1, 'id'], 6],
  ]
  for (const [path, line] of values) {
    test(`finds ${jsonPath(path) || 'the whole'}`, () => {
      assert.equal(lineOf(text, path), line)
    })
  }

  test('finds the nearest enclosing value of a path that is not in the text', () => {
    assert.equal(lineOf(text, [1, 'alias']), 3)
    assert.equal(lineOf(text, [1, 'models', 7, 'id']), 4)
    assert.equal(lineOf(text, [9]), 1)
  })

  test('finds the last of repeated names, as JSON.parse does', () => {
    assert.equal(lineOf('{"a":1,\n"b":0,\n"a":2}', ['a']), 3)
    assert.equal(lineOf('{"a":{"b":1},\n"a":[2]}', ['a', 'b']), 2)
  })

  test('finds many values in one pass', () => {
    const count = 200_000
    const large = JSON.stringify(
      Array.from({ length: count }, (_, id) => ({ id })),
      null,
      1,
    )
    const paths = Array.from({ length: 20 }, (_, index) => [count - 1 - index, 'id'])
    const oneMs = leastCpuMsOf(() => linesOf(large, paths.slice(0, 1)))
    let lines: readonly number[] = []
    const allMs = leastCpuMsOf(() => {
      lines = linesOf(large, paths)
    })
    assert.ok(allMs < 4 * oneMs, `${allMs} ms, one ${oneMs} ms`)
    assert.equal(lines[19], 3 * (count - 20) + 3)
  })

  test('finds every value of any JSON', () => {
    const property = fc.property(fc.json(), fc.nat(), (json, choice) => {
      const whole: unknown = JSON.parse(json)
      const spaced = JSON.stringify(whole, null, 1).split('\n')
      const path: (string | number)[] = []
      let inner = whole
      for (;;) {
        const line = spaced[(lineOf(spaced.join('\n'), path) ?? 0) - 1] ?? ''
        const [beginning = ''] = JSON.stringify(inner, null, 1).split('\n')
        assert.ok(line.replace(/,$/, '').endsWith(beginning), jsonPath(path))
        if (typeof inner !== 'object' || inner === null || Object.keys(inner).length === 0) break
        const members = Object.entries(inner)
        const [name, value] = members[choice % members.length] ?? []
        path.push(Array.isArray(inner) ? Number(name) : String(name))
        inner = value
      }
    })
    fc.assert(property)
  })
})

describe('syntaxMistake finds the line of', () => {
  const mistakes: Readonly<Record<string, readonly [line: number, message: string]>> = {
    '': [1, 'value expected'],
    '[\n{': [2, 'close brace expected'],
    '[1,\n]': [2, 'value expected'],
    '{"a"\n1}': [2, 'colon expected'],
    '{"a":1,\n}': [2, 'property name expected'],
    "{\n'a':1}": [2, 'invalid symbol'],
    '[1\n2]': [2, 'comma expected'],
    '{"a":\n01}': [2, 'comma expected'],
    '[\ntru]': [2, 'invalid symbol'],
    '[\n"a\nb"]': [2, 'unexpected end of string'],
    '[\n"\\x"]': [2, 'invalid escape character'],
    '[1]\nx': [2, 'invalid symbol'],
    '\n// no\n[]': [2, 'invalid comment token'],
  }
  for (const [broken, [line, message]] of Object.entries(mistakes)) {
    test(JSON.stringify(broken), () => {
      assert.throws(() => JSON.parse(broken))
      assert.deepEqual(syntaxMistake(broken), { line, message: `invalid JSON: ${message}` })
    })
  }

  test('everything else that JSON.parse rejects', () => {
    const pieces = fc.constantFrom('{', '}', '[', ']', ',', ':', '"a"', '1', '-0.5e3', 'null', ' ')
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 7 }), (parts) => {
        const candidate = parts.join('')
        assert.equal(syntaxMistake(candidate).message === 'invalid JSON', isJson(candidate))
      }),
      { numRuns: 2_000 },
    )
  })

  test('text that is nested too deeply to be searched', () => {
    assert.deepEqual(syntaxMistake('['.repeat(100_000)), { line: 1, message: 'invalid JSON' })
  })
})

function isJson(candidate: string): boolean {
  try {
    JSON.parse(candidate)
    return true
  } catch {
    return false
  }
}
