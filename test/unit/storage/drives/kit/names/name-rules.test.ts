import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  decodeName,
  isLegalKey,
  pathOfKey,
} from '../../../../../../src/storage/drives/kit/names/key-path.ts'
import {
  isRefused,
  type NameRules,
} from '../../../../../../src/storage/drives/kit/names/name-rules.ts'

const rules: NameRules = {
  maxNameBytes: 200,
  characters: /[\u0001-\u001f\u007f\\:é😀]/u,
  beginnings: /^\.ht|^index\.html$/i,
  endings: /[ .]$|\.part$/i,
  composes: true,
}

/** As of nginx, which lists no name that begins with a dot. */
const hidingRules: NameRules = {
  maxNameBytes: 255,
  characters: /[\u0001-\u001f\u007f\uffff]/u,
  beginnings: /^(?:\.)/iu,
  endings: undefined,
  composes: false,
}

const piece = fc.constantFrom(
  ...['%', '.', '%2', '%25', '%2E', '%5C', '%5c', '%00', '.%', '%+', '.%file', '5C', '\0'],
  ...[
    'a',
    'é',
    '%C3%A9',
    '%C3',
    'u\u0308',
    'ü',
    '\u0308',
    'u',
    '%CC%88',
    '\u212b',
    '日',
    '😀',
    '%F0%9F%98%80',
    ' ',
    '\\',
    ':',
    '\n',
    '.part',
    '.ht',
  ],
  ...['index.html', '%69ndex.html', '%2Eht', '%2Epart', 'x'.repeat(190), 'é'.repeat(90), 'P'],
)
const text = fc.oneof(
  fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join('')),
  fc.string({ unit: 'binary', maxLength: 8 }),
)
const key = fc
  .array(text, { minLength: 1, maxLength: 3 })
  .map((segments) => segments.join('/'))
  .filter(isLegalKey)

/** The key of a path as a drive finds it: name by name from the bucket's folder. */
function keyOfPath(path: readonly string[], by = rules): string | undefined {
  const segments: string[] = []
  let continued: string | undefined
  for (const [index, name] of path.entries()) {
    const isFile = index === path.length - 1
    const place = { isFile, ...(continued !== undefined && { continued }) }
    const decoded = decodeName(name, place, by)
    if (decoded === undefined) return undefined
    continued = decoded.kind === 'continuation' ? decoded.continued : undefined
    if (decoded.kind === 'segment') segments.push(decoded.segment)
  }
  return segments.join('/')
}

describe('pathOfKey with rules', () => {
  const paths: [key: string, natural: string][] = [
    ['a\\b', 'a%5Cb'],
    ['a%5Cb', 'a%255Cb'],
    ['é', '%C3%A9'],
    ['100%', '100%'],
    ['.htaccess', '%2Ehtaccess'],
    ['a/index.html', 'a/%69ndex.html'],
    ['index.html/a', '%69ndex.html/a'],
    ['x.part', 'x.par%74'],
    ['end ', 'end%20'],
    ['ü', 'ü'],
    ['u\u0308 日', 'u%CC%88 %E6%97%A5'],
    ['u%CC%88', 'u%25CC%2588'],
    ['%C3%BC', '%C3%BC'],
    [' a', ' a'],
    ['%5C', '%255C'],
    ['%5c', '%5c'],
    ['%69ndex.html', '%2569ndex.html'],
  ]
  for (const [name, natural] of paths) {
    it(`puts ${JSON.stringify(name)} at ${natural}`, () => {
      assert.equal(pathOfKey(name, rules).natural.join('/'), natural)
      assert.equal(keyOfPath(natural.split('/')), name)
    })
  }

  for (const by of [rules, hidingRules]) {
    it('is reversed by decodeName, and uses no refused or overlong name', () => {
      fc.assert(
        fc.property(key, (name) => {
          const { natural, alternative } = pathOfKey(name, by)
          for (const path of [natural, alternative]) {
            assert.equal(keyOfPath(path, by), name)
            for (const part of path) {
              assert.ok(Buffer.byteLength(part) <= by.maxNameBytes)
              assert.ok(!by.characters?.test(part), part)
            }
          }
          if (natural.length === name.split('/').length) {
            assert.ok(natural.every((part) => !isRefused(part, by)))
          }
        }),
        { numRuns: 2_000 },
      )
    })
  }

  const hiddenDots: [key: string, natural: string][] = [
    ['.hidden', '%2Ehidden'],
    ['.git/config', '%2Egit/config'],
    ['a/', 'a/%2E%'],
    ['a/.%', 'a/%2E%25'],
    ['a/%2E%', 'a/%252E%25'],
    ['..', '%2E%2E'],
    ['...', '%2E..'],
    ['v1.0', 'v1.0'],
    [`${'n'.repeat(253)}.txt`, `${'n'.repeat(253)}%+/%2Etxt`],
  ]
  for (const [name, natural] of hiddenDots) {
    it(`shows ${name.slice(-8)} on a server that hides dot files`, () => {
      assert.equal(pathOfKey(name, hidingRules).natural.join('/'), natural)
      assert.equal(keyOfPath(natural.split('/'), hidingRules), name)
    })
  }

  it('returns no name that begins with a dot where such names are hidden', () => {
    const dots = fc.array(fc.constantFrom('.', 'n'.repeat(83), 'é', '%', '\n', '/', 'a'), {
      minLength: 1,
    })
    const dotted = dots.map((pieces) => pieces.join('')).filter(isLegalKey)
    fc.assert(
      fc.property(fc.oneof(key, dotted), (name) => {
        const { natural, alternative } = pathOfKey(name, hidingRules)
        for (const part of [...natural, ...alternative]) assert.ok(!part.startsWith('.'), part)
        assert.equal(keyOfPath(natural, hidingRules), name)
        assert.equal(keyOfPath(alternative, hidingRules), name)
      }),
      { numRuns: 5_000 },
    )
  })

  it('returns for a decoded name the path of its key', () => {
    const name = text.filter(
      (one) =>
        !/[/\0]/.test(one) && !['', '.', '..'].includes(one) && Buffer.byteLength(one) <= 200,
    )
    fc.assert(
      fc.property(name, (one) => {
        const decoded = decodeName(one, { isFile: true }, rules)
        if (decoded?.kind !== 'segment') return
        const { natural, alternative } = pathOfKey(`x/${decoded.segment}`, rules)
        assert.deepEqual(decoded.isAlternative ? alternative : natural, ['x', one])
      }),
      { numRuns: 2_000 },
    )
  })
})
