import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  decodeName,
  isLegalKey,
  pathOfFolder,
  pathOfKey,
} from '../../../../../../src/storage/drives/kit/names/key-path.ts'
import { maxNameBytes } from '../../../../../../src/storage/drives/kit/names/long-name.ts'
import { cpuMsOf } from '../../../../../support/cpu-time.ts'

/** Pieces of difficult names. */
const trap = fc.constantFrom(
  ...['%', '.', '..', '%2', '%25', '%2E', '%00', '.%', '%+', '+', '.%file', 'file', '5', '\0'],
  ...['a', 'é', '日', '😀', 'x'.repeat(245), 'é'.repeat(125), '%'.repeat(84), '%25'.repeat(83)],
)
const segmentOf = (maxLength: number) =>
  fc.array(trap, { maxLength }).map((parts) => parts.join(''))
const segment = fc.oneof(
  segmentOf(5),
  segmentOf(30),
  fc.string({ unit: 'binary', maxLength: 8 }).map((text) => text.replaceAll('/', '')),
)
const key = fc
  .oneof(
    fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join('/')),
    fc.string({ unit: fc.constantFrom('/', '.', '%', '\0'), minLength: 1, maxLength: 1024 }),
  )
  .filter(isLegalKey)
/** A name that a user can give a file. */
const fileName = fc
  .oneof(
    segmentOf(5),
    segmentOf(30),
    fc.constantFrom('.%', '%2E', '%2E%2E', '.%file', 'a.%file.%file'),
  )
  .filter((name) => isPossibleName(name))

function isPossibleName(name: string): boolean {
  if (name === '' || name === '.' || name === '..') return false
  return !/[/\0]/.test(name) && Buffer.byteLength(name) <= maxNameBytes && name.isWellFormed()
}

/** The key of a path as a drive finds it: name by name from the bucket's folder. */
function keyOfPath(path: readonly string[]): { key: string; isAlternative: boolean } | undefined {
  const segments: string[] = []
  let continued: string | undefined
  for (const [index, name] of path.entries()) {
    const isFile = index === path.length - 1
    const decoded = decodeName(name, { isFile, ...(continued !== undefined && { continued }) })
    if (decoded === undefined) return undefined
    continued = decoded.kind === 'continuation' ? decoded.continued : undefined
    if (decoded.kind === 'continuation') continue
    segments.push(decoded.segment)
    if (isFile) return { key: segments.join('/'), isAlternative: decoded.isAlternative }
  }
  return undefined
}

describe('pathOfKey', () => {
  const paths: [key: string, natural: string, alternative: string][] = [
    ['photo.jpg', 'photo.jpg', 'photo.jpg.%file'],
    ['a/b', 'a/b', 'a/b.%file'],
    ['a/', 'a/.%', 'a/.%.%file'],
    ['/a', '.%/a', '.%/a.%file'],
    ['a//b', 'a/.%/b', 'a/.%/b.%file'],
    ['a/../b', 'a/%2E%2E/b', 'a/%2E%2E/b.%file'],
    ['.', '%2E', '%2E.%file'],
    ['...', '...', '....%file'],
    ['100%', '100%', '100%.%file'],
    ['%2E', '%252E', '%252E.%file'],
    ['%252E', '%25252E', '%25252E.%file'],
    ['%2e', '%2e', '%2e.%file'],
    ['%25', '%25', '%25.%file'],
    ['.%', '.%25', '.%25.%file'],
    ['a\0%', 'a%00%25', 'a%00%25.%file'],
    ['a%00', 'a%2500', 'a%2500.%file'],
    ['a.%file', 'a.%25file', 'a.%25file.%file'],
    ['a.%file/b', 'a.%25file/b', 'a.%25file/b.%file'],
    ['.%file', '.%file', '.%file.%file'],
    ['a.%file.%file', 'a.%file.%file', 'a.%file.%file.%file'],
    ['a\\b:c', 'a\\b:c', 'a\\b:c.%file'],
  ]
  for (const [name, natural, alternative] of paths) {
    it(`puts ${JSON.stringify(name)} at ${natural}`, () => {
      const path = pathOfKey(name)
      assert.equal(path.natural.join('/'), natural)
      assert.equal(path.alternative.join('/'), alternative)
    })
  }

  it('cuts a long name between code points', () => {
    const name = `${'x'.repeat(252)}é${'y'.repeat(10)}`
    assert.deepEqual(pathOfKey(name).natural, [`${'x'.repeat(252)}%+`, `é${'y'.repeat(10)}`])
  })

  it('cuts a name of 255 bytes only for its alternative', () => {
    const name = 'x'.repeat(255)
    const path = pathOfKey(name)
    assert.deepEqual(path.natural, [name])
    assert.deepEqual(path.alternative, [`${'x'.repeat(253)}%+`, 'xx.%file'])
  })

  it('escapes a name that could be a piece of another', () => {
    const name = `${'x'.repeat(253)}%+`
    assert.deepEqual(pathOfKey(name).natural, [`${'x'.repeat(253)}%+`, '%25+'])
  })

  it('returns names that a file system accepts', () => {
    fc.assert(
      fc.property(key, (name) => {
        const { natural, alternative } = pathOfKey(name)
        for (const component of [...natural, ...alternative]) {
          assert.ok(isPossibleName(component), component)
        }
      }),
      { numRuns: 2000 },
    )
  })

  it('returns paths that decode to the same key', () => {
    fc.assert(
      fc.property(key, (name) => {
        const { natural, alternative } = pathOfKey(name)
        assert.deepEqual(keyOfPath(natural), { key: name, isAlternative: false })
        assert.deepEqual(keyOfPath(alternative), { key: name, isAlternative: true })
      }),
      { numRuns: 5000 },
    )
  })

  it('keeps every path below 3,400 bytes, so that a root of 600 fits in PATH_MAX', () => {
    const worst = ['/'.repeat(1024), './'.repeat(512), '../'.repeat(341), '\0'.repeat(1024)]
    for (const name of [...worst, '\0/'.repeat(512), '%25/'.repeat(256), '.%/'.repeat(341)]) {
      assert.ok(Buffer.byteLength(pathOfKey(name).alternative.join('/')) < 3400)
    }
  })

  it('takes no longer for hostile keys', () => {
    const nested = `%${'25'.repeat(500)}`
    let layered = 'x'
    while (layered.length < 900) layered = `${layered.replaceAll('%', '%25')}.%file`
    const names = [nested, layered, `${nested}.%file`, '.%file'.repeat(170)]
    const tookMs = cpuMsOf(() => names.map((name) => pathOfKey(name)))
    assert.ok(tookMs < 250, `${tookMs} ms`)
  })
})

describe('pathOfFolder', () => {
  it('is the folder part of the keys below', () => {
    fc.assert(
      fc.property(fc.array(segment, { maxLength: 3 }), (segments) => {
        const prefix = segments.map((name) => `${name}/`).join('')
        assert.deepEqual(pathOfFolder(prefix), pathOfKey(`${prefix}k`).natural.slice(0, -1))
      }),
    )
  })
})

describe('decodeName', () => {
  it('decodes every possible file name to a different key, with that path', () => {
    fc.assert(
      fc.property(fileName, (name) => {
        const found = keyOfPath([name])
        if (found === undefined) {
          // The one exception: it looks like the folder of a longer name.
          assert.ok(name.endsWith('%+') && Buffer.byteLength(name) > 251)
          return
        }
        const path = pathOfKey(found.key)
        assert.deepEqual(found.isAlternative ? path.alternative : path.natural, [name])
      }),
      { numRuns: 10_000 },
    )
  })

  it('decodes a path of any folders to no key or to one with that path', () => {
    const name = fc.oneof(
      fileName,
      fc.constantFrom(`${'x'.repeat(253)}%+`, `${'x'.repeat(251)}%+`, `${'é'.repeat(126)}%+`),
    )
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 4 }), (path) => {
        const found = keyOfPath(path)
        if (found === undefined) return
        const { natural, alternative } = pathOfKey(found.key)
        assert.deepEqual(found.isAlternative ? alternative : natural, path)
      }),
      { numRuns: 10_000 },
    )
  })

  it('ignores a folder with the suffix of an alternative file', () => {
    assert.equal(decodeName('a.%file', { isFile: false }), undefined)
  })

  it('ignores a piece that is cut elsewhere than pathOfKey cuts', () => {
    const early = { isFile: true, continued: 'x'.repeat(250) }
    assert.equal(decodeName('yyyyyyy', early), undefined)
    assert.equal(decodeName('yy', { isFile: true, continued: 'x'.repeat(253) }), undefined)
    assert.notEqual(decodeName('yyy', { isFile: true, continued: 'x'.repeat(253) }), undefined)
  })
})

describe('isLegalKey', () => {
  it('counts bytes, not characters', () => {
    assert.ok(isLegalKey('é'.repeat(512)))
    assert.ok(!isLegalKey(`${'é'.repeat(512)}a`))
    assert.ok(isLegalKey('a'.repeat(1024)))
    assert.ok(!isLegalKey('a'.repeat(1025)))
  })

  it('rejects the empty key and lone surrogates', () => {
    assert.ok(!isLegalKey(''))
    assert.ok(!isLegalKey('a\ud800'))
    assert.ok(isLegalKey('😀\0'))
  })
})
