import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import {
  JsonSyntaxError,
  lineOf,
  offsetOf,
  pathText,
} from '../../../../src/models/catalogue/json-scanner.ts'

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

describe('offsetOf', () => {
  const places = [
    { path: [], line: 1, begin: '[\n' },
    { path: [0], line: 2, begin: '{ "id": "a"' },
    { path: [1, 'id'], line: 3, begin: '"b ' },
    { path: [1, 'models', 1, 'id'], line: 6, begin: '"y"' },
  ]
  for (const { path, line, begin } of places) {
    test(`finds ${pathText(path) || 'the whole'}`, () => {
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
  })

  test('finds every value of any JSON', () => {
    const property = fc.property(fc.json(), fc.nat(), (json, choice) => {
      const whole: unknown = JSON.parse(json)
      const text = JSON.stringify(whole)
      const path: (string | number)[] = []
      let inner = whole
      for (;;) {
        assert.ok(text.startsWith(JSON.stringify(inner), offsetOf(text, path)), pathText(path))
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

describe('offsetOf tells where text is no JSON', () => {
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

test('pathText writes paths as people know them', () => {
  assert.equal(pathText([3, 'models', 5, 'type']), '[3].models[5].type')
  assert.equal(pathText(['models', 0, 'odd name']), 'models[0]["odd name"]')
  assert.equal(pathText([]), '')
})
