import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ArchiveNames } from '../../../../src/storage/archive/archive-names.ts'

function named(...paths: readonly string[]): string[] {
  const names = new ArchiveNames()
  return paths.map((path) => names.nameOf(path))
}

describe('ArchiveNames', () => {
  test('keeps names that are allowed everywhere', () => {
    const names = ['a.txt', 'über/ж 文.txt', 'x/', '.hidden', 'a..b', "it's (1).txt"]
    assert.deepEqual(named(...names), names)
  })

  const hostile: readonly [string, string][] = [
    ['/etc/passwd', '_/etc/passwd'],
    ['../../x', '__/__/x'],
    ['./x', '_/x'],
    ['a//b', 'a/_/b'],
    ['C:/x', 'C_/x'],
    ['C:\\x\\..\\y', 'C__x_.._y'],
    ['a/..', 'a/__'],
    ['nul.txt', '_nul.txt'],
    ['COM1', '_COM1'],
    ['a\u0000\n\u007fb', 'a___b'],
    ['trailing. ', 'trailing__'],
    ['\ud800', '\ufffd'],
    ['  ', '__'],
    ['/', '_/'],
  ]
  for (const [path, name] of hostile) {
    test(`${JSON.stringify(path)} becomes ${JSON.stringify(name)}`, () => {
      assert.deepEqual(named(path), [name])
    })
  }

  test('numbers names that would be the same file', () => {
    assert.deepEqual(named('A.txt', 'a.txt', 'a.TXT', 'x:y', 'x*y', 'x_y'), [
      ...['A.txt', 'a (2).txt', 'a (3).TXT', 'x_y', 'x_y (2)', 'x_y (3)'],
    ])
  })

  test('numbers a folder with the name of a file, with all that is in it', () => {
    assert.deepEqual(named('a', 'a.b', 'a/c/d', 'a/e', 'b/x', 'a/c/f', 'B'), [
      ...['a', 'a.b', 'a (2)/c/d', 'a (2)/e', 'b/x', 'a (2)/c/f', 'B (2)'],
    ])
  })

  test('takes as long for 20,000 clashes as for other names', () => {
    const names = new ArchiveNames()
    const seen = new Set<string>()
    for (let index = 0; index < 20_000; index += 1) {
      const path = index.toString(4).replaceAll(/\d/g, (digit) => ':*?|'[Number(digit)] ?? '')
      seen.add(names.nameOf(path))
    }
    assert.equal(seen.size, 20_000)
  })
})
