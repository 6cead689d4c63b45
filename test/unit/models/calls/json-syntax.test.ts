import assert from 'node:assert/strict'
import { isUtf8 } from 'node:buffer'
import { test } from 'node:test'
import fc from 'fast-check'
import { JsonScanner } from '../../../../src/models/calls/json-syntax.ts'

/** The first two fields of this name, in any case of letters; undefined if it is not JSON in UTF-8. */
function fieldsOfJson(bytes: Buffer, lowerName: string) {
  const scanner = new JsonScanner([lowerName])
  return scanner.feed(bytes) && scanner.isWhole && isUtf8(bytes)
    ? scanner.fields(lowerName)
    : undefined
}

const isJson = (bytes: Buffer) => fieldsOfJson(bytes, 'model') !== undefined

function isParsed(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const agree = (text: string) => assert.equal(isJson(Buffer.from(text)), isParsed(text), text)

test('fieldsOfJson agrees with JSON.parse about JSON with one change', () => {
  const change = fc.record({
    at: fc.nat(),
    removed: fc.nat({ max: 2 }),
    added: fc.constantFrom(
      ...'{}[],:"\\0-+.eE1 tnu\n\u0001ü',
      '',
      'true',
      '"a":',
      '[]',
      '{}',
      '\\u00',
    ),
  })
  fc.assert(
    fc.property(fc.json({ depthSize: 'medium' }), change, (json, { at, removed, added }) => {
      agree(json)
      const from = at % (json.length + 1)
      agree(json.slice(0, from) + added + json.slice(from + removed))
    }),
    { numRuns: 5_000 },
  )
})

test('fieldsOfJson agrees with JSON.parse about what is odd', () => {
  for (const text of [
    '',
    ' ',
    '0',
    '-0',
    '01',
    '1.',
    '.5',
    '1e',
    '-',
    '{}x',
    '[1,]',
    '{"a":1,}',
    '[}',
    '{]',
    '"\t"',
    '"\\x"',
    '"\\u12"',
    '\ufeff{}',
    'nul',
    'NaN',
    '[[],[]]',
    '{"a":{},"b":[]}',
    '{"a"}',
    '{"a" "b"}',
    '{,}',
    '[,]',
    "{'a':1}",
  ])
    agree(text)
})

test('fieldsOfJson refuses what is not UTF-8, and more than a million levels', () => {
  assert.equal(isJson(Buffer.from('"\xff"', 'latin1')), false)
  const nested = (levels: number) => Buffer.from('['.repeat(levels) + ']'.repeat(levels))
  assert.equal(isJson(nested(1_000_000)), true)
  assert.equal(isJson(nested(1_000_001)), false)
})

test('Escapes, numbers and levels take no longer than text', () => {
  const cpuMsOf = (unit: string, quote = '') => {
    const body = Buffer.from(`[${quote}${unit.repeat(8_000_000 / unit.length)}${quote || 0}]`)
    const before = process.cpuUsage()
    assert.equal(isJson(body), true)
    return process.cpuUsage(before).user / 1_000
  }
  const plainMs = cpuMsOf('x', '"')
  for (const ms of [cpuMsOf('\\n', '"'), cpuMsOf('1,'), cpuMsOf('[],'), cpuMsOf('{"a":1},')])
    assert.ok(ms < 10 * plainMs + 100, `${ms} ms, and ${plainMs} for text`)
})
