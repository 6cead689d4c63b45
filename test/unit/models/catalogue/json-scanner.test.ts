import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { jsonPath } from '../../../../src/json-api/json-path.ts'
import {
  type JsonPath,
  JsonSyntaxError,
  lineOf,
  offsetsOf,
} from '../../../../src/models/catalogue/json-scanner.ts'
import { cpuMsOf } from '../../../support/cpu-time.ts'

const offsetOf = (text: string, path: JsonPath) => offsetsOf(text, [path])[0] ?? -1

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

describe('offsetsOf', () => {
  const places = [
    { path: [], line: 1, begin: '[\n' },
    { path: [0], line: 2, begin: '{ "id": "a"' },
    { path: [1, 'id'], line: 3, begin: '"b ' },
    { path: [1, 'models', 1, 'id'], line: 6, begin: '"y"' },
  ]
  for (const { path, line, begin } of places) {
    test(`finds ${jsonPath(path) || 'the whole'}`, () => {
      const offset = offsetOf(text, path)
      assert.ok(text.startsWith(begin, offset))
      assert.equal(lineOf(text, offset), line)
    })
  }

  test('finds the nearest value around a path that is not there', () => {
    assert.equal(lineOf(text, offsetOf(text, [1, 'alias'])), 3)
    assert.equal(lineOf(text, offsetOf(text, [1, 'models', 7, 'id'])), 4)
    assert.equal(offsetOf(text, [9]), 0)
  })

  test('finds the last of repeated names, as JSON.parse does', () => {
    const repeated = '{"a":1,"b":0,"a":2}'
    assert.equal(offsetOf(repeated, ['a']), repeated.lastIndexOf('2'))
    const outer = '{"a":{"b":1},"a":[2]}'
    assert.equal(offsetOf(outer, ['a', 'b']), outer.indexOf('[2'))
  })

  test('finds many places in one walk', () => {
    const count = 200_000
    const large = JSON.stringify(Array.from({ length: count }, (_, id) => ({ id })))
    const paths = Array.from({ length: 20 }, (_, index) => [count - 1 - index, 'id'])
    const oneMs = cpuMsOf(() => offsetsOf(large, paths.slice(0, 1)))
    let offsets: readonly number[] = []
    const allMs = cpuMsOf(() => {
      offsets = offsetsOf(large, paths)
    })
    assert.ok(allMs < 4 * oneMs, `${allMs} ms, one ${oneMs} ms`)
    assert.ok(large.startsWith(`${count - 20}}`, offsets[19]))
  })

  test('finds every value of any JSON', () => {
    const property = fc.property(fc.json(), fc.nat(), (json, choice) => {
      const whole: unknown = JSON.parse(json)
      const text = JSON.stringify(whole)
      const path: (string | number)[] = []
      let inner = whole
      for (;;) {
        assert.ok(text.startsWith(JSON.stringify(inner), offsetOf(text, path)), jsonPath(path))
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

describe('offsetsOf tells where text is no JSON', () => {
  const mistakes = {
    '': 0,
    '{': 1,
    '[1,]': 3,
    '{"a" 1}': 5,
    '{"a":1,}': 7,
    "{'a':1}": 1,
    '[1 2]': 3,
    '{"a":01}': 6,
    '[tru]': 1,
    '["a\nb"]': 1,
    '["\\x"]': 1,
    '[1] x': 4,
    '// no\n[]': 0,
  }
  for (const [broken, offset] of Object.entries(mistakes)) {
    test(JSON.stringify(broken), () => {
      assert.throws(() => JSON.parse(broken))
      assert.throws(() => offsetOf(broken, []), { name: 'JsonSyntaxError', offset })
    })
  }

  test('and takes all that JSON.parse takes, and no more', () => {
    const pieces = fc.constantFrom('{', '}', '[', ']', ',', ':', '"a"', '1', '-0.5e3', 'null', ' ')
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 7 }), (parts) => {
        const candidate = parts.join('')
        assert.equal(
          isTaken(() => offsetOf(candidate, [])),
          isTaken(() => JSON.parse(candidate)),
        )
      }),
      { numRuns: 2_000 },
    )
  })

  test('and ends at a nesting that no person writes', () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000)
    assert.throws(() => offsetOf(deep, []), JsonSyntaxError)
  })
})

function isTaken(read: () => unknown): boolean {
  try {
    read()
    return true
  } catch {
    return false
  }
}
