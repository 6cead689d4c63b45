import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DriveError } from '../../../../../../src/storage/drives/drive-error.ts'
import { pathOfKey } from '../../../../../../src/storage/drives/kit/names/key-path.ts'
import type { DavPath } from '../../../../../../src/storage/drives/webdav/client/dav-path.ts'
import type { DavServer } from '../../../../../../src/storage/drives/webdav/client/dav-server.ts'
import { rulesFrom } from '../../../../../../src/storage/drives/webdav/probe/drive-names.ts'
import {
  type NameFindings,
  NameProbe,
} from '../../../../../../src/storage/drives/webdav/probe/name-probe.ts'

interface FakeServer {
  /** Names with the same result are one file, which keeps its first name. */
  readonly fold?: (name: string) => string
  /** Whether it lists the name. */
  readonly shows?: (name: string) => boolean
  /** Whether it accepts the name. */
  readonly takes?: (name: string) => boolean
  /** The name that it reads from the Destination of a MOVE. */
  readonly cutsMoved?: (name: string) => string
  /** Whether it fails to report the name. */
  readonly breaksAt?: (name: string) => boolean
  /** Whether it answers 502 for the name. */
  readonly failsAt?: (name: string) => boolean
  /** Whether the server is available. */
  readonly answers?: () => boolean
}

const always = () => true

function serverThat({
  fold = (name) => name,
  shows = always,
  takes = always,
  breaksAt = () => false,
  cutsMoved = (name) => name,
  failsAt = () => false,
  answers = always,
}: FakeServer): DavServer {
  const files = new Map<string, string>()
  const fail = (isFailing: boolean) => {
    if (isFailing || !answers()) throw new DriveError('unavailable', 'unreadable')
  }
  const placeOf = (path: DavPath) => path.map(fold).join('/')
  const server: Partial<Record<keyof DavServer, unknown>> = {
    makeFolder: async () => true,
    put: async (path: DavPath) => {
      const name = path.at(-1) ?? ''
      fail(false)
      if (failsAt(name)) return { status: 502, header: () => undefined, text: '' }
      if (!takes(name)) return { status: 400 }
      files.set(placeOf(path), files.get(placeOf(path)) ?? name)
      return { status: 201 }
    },
    transfer: async (_method: string, { from, to: asked }: { from: DavPath; to: DavPath }) => {
      const to = [...asked.slice(0, -1), cutsMoved(asked.at(-1) ?? '')]
      if (failsAt(to.at(-1) ?? '')) return { status: 502, header: () => undefined, text: '' }
      if (!takes(to.at(-1) ?? '')) return { status: 400 }
      if (files.has(placeOf(to))) return { status: 412 }
      files.delete(placeOf(from))
      files.set(placeOf(to), to.at(-1) ?? '')
      return { status: 201 }
    },
    removeFile: async (path: DavPath) => files.delete(placeOf(path)),
    statFolder: async () => {
      fail(false)
      return {}
    },
    stat: async (path: DavPath) => {
      fail(breaksAt(path.at(-1) ?? ''))
      return files.has(placeOf(path)) ? { isFolder: false } : undefined
    },
    list: async (path: DavPath) => {
      const below = `${placeOf(path)}/`
      const entries = [...files].filter(([place]) => place.startsWith(below))
      const names = entries.map(([, name]) => name).filter(shows)
      fail(names.some(breaksAt))
      return { children: names.map((name) => ({ name })) }
    },
  }
  return server as unknown as DavServer
}

const findingsAt = (server: FakeServer): Promise<NameFindings> =>
  new NameProbe(serverThat(server), ['probe']).run()

const findingsOf = (fold: (name: string) => string) => findingsAt({ fold })

describe('NameProbe', () => {
  it('finds nothing on a server that keeps all names apart', async () => {
    const findings = await findingsOf((name) => name)
    const { foldsCase, composes, decomposes, characters } = findings
    assert.deepEqual(
      [foldsCase, composes, decomposes, characters],
      [false, false, false, ['\ufffe', '\uffff']],
    )
  })

  it('detects a server that ignores case', async () => {
    assert.equal((await findingsOf((name) => name.toLowerCase())).foldsCase, true)
  })

  it('detects a server that equates composed and decomposed letters, and keeps the form sent', async () => {
    for (const form of ['NFC', 'NFD']) {
      const findings = await findingsOf((name) => name.normalize(form))
      assert.equal(findings.composes, true)
      const names = ['caf\u00e9', 'cafe\u0301'].map(
        (key) => pathOfKey(key, rulesFrom(findings)).natural[0] ?? '',
      )
      assert.equal(new Set(names.map((name) => name.normalize(form))).size, 2)
    }
  })
})

/** Characters that are never tried. */
const unlistable = ['\ufffe', '\uffff']

describe('NameProbe', () => {
  it('finds the refused characters among those tried in one name', async () => {
    const { characters } = await findingsAt({ takes: (name) => !/[:?\\]/.test(name) })
    assert.deepEqual(characters, [':', '?', '\\', ...unlistable])
  })

  it('finds characters that end a Destination', async () => {
    const cut = (name: string) => name.replace(/[?;].*$/s, '')
    const { characters } = await findingsAt({ cutsMoved: cut })
    assert.deepEqual(characters, ['?', ';', ...unlistable])
  })

  it('refuses a server that accepts no name with a percent sign', async () => {
    const takes = (name: string) => !name.includes('%')
    await assert.rejects(findingsAt({ takes }), { kind: 'denied' })
  })

  it('detects a server that hides names with a leading dot', async () => {
    const findings = await findingsAt({ shows: (name) => !name.startsWith('.') })
    assert.deepEqual([findings.beginnings, findings.endings, findings.names], [['.'], [], [' ']])
    const rules = rulesFrom(findings)
    assert.deepEqual(pathOfKey('.a/.b/', rules).natural, ['%2Ea', '%2Eb', '%2E%'])
  })

  it('detects a server that hides only the name of folder objects', async () => {
    const findings = await findingsAt({ shows: (name) => name !== '.%' })
    assert.deepEqual([findings.beginnings, findings.names], [[], [' ', '.%']])
    assert.deepEqual(pathOfKey('.a/', rulesFrom(findings)).natural, ['.a', '%2E%'])
  })

  it('refuses a server that cannot store folder objects', async () => {
    const shows = (name: string) => !/^(\.|%2E)%$/.test(name)
    await assert.rejects(findingsAt({ shows }), { kind: 'denied', message: /neither the name/ })
  })

  it('does not use a name for which the server fails', async () => {
    // dufs wrote such a character unescaped into XML, which cannot contain it.
    for (const breaksAt of [
      (name: string) => name.includes('😀'),
      (name: string) => /^b~?\.$/.test(name),
    ]) {
      const { characters, endings } = await findingsAt({ breaksAt })
      const isCharacter = breaksAt('😀')
      assert.deepEqual(characters, isCharacter ? ['😀', ...unlistable] : unlistable)
      assert.deepEqual(endings, isCharacter ? [] : ['.'])
    }
  })

  it('does not use a name that the server answers with 502', async () => {
    const failsAt = (name: string) => /[:\\]/.test(name)
    const { characters, maxNameBytes } = await findingsAt({ failsAt })
    assert.deepEqual(characters, [':', '\\', ...unlistable])
    assert.equal(maxNameBytes, 255)
  })

  it('rejects when the server answers 502 to every name', async () => {
    await assert.rejects(findingsAt({ failsAt: always }), { kind: 'unavailable' })
    const failsAt = (name: string) => name !== 'source'
    await assert.rejects(findingsAt({ failsAt }), { kind: 'unavailable' })
  })

  it('rejects when the server disappears meanwhile', async () => {
    let isThere = true
    const takes = (name: string) => {
      isThere &&= name !== 'b '
      return true
    }
    await assert.rejects(findingsAt({ takes, answers: () => isThere }), { kind: 'unavailable' })
  })

  it('finds the longest name', async () => {
    const { maxNameBytes } = await findingsAt({ takes: (name) => name.length <= 143 })
    assert.equal(maxNameBytes, 143)
  })
})

describe('rulesFrom', () => {
  it('escapes letters that a server without case may equate', async () => {
    const rules = rulesFrom(await findingsOf((name) => name.toLowerCase()))
    const folds = [
      (text: string) => text.toLowerCase(),
      (text: string) => text.toUpperCase(),
      (text: string) => text.toUpperCase().toLowerCase(),
      (text: string) => text.toLowerCase().toUpperCase(),
    ].map((fold) => ({ fold, seen: new Map<string, string>() }))
    const hasCase = /[\p{Cased}\p{CWU}\p{CWL}]/u
    for (let code = 0x20; code <= 0x10ffff; code++) {
      const letter = String.fromCodePoint(code)
      if (!hasCase.test(letter) || rules.characters?.test(letter)) continue
      for (const { fold, seen } of folds) {
        const other = seen.get(fold(letter))
        assert.equal(other, undefined, `${other} and ${letter}`)
        seen.set(fold(letter), letter)
      }
    }
  })

  it('escapes one of two letters that fold to the same one', async () => {
    const rules = rulesFrom(await findingsOf((name) => name.toLowerCase()))
    for (const [plain = '', folded = ''] of ['aA', 'σς', 'sſ', 'μµ', 'iı', 'kK']) {
      assert.equal(pathOfKey(plain, rules).natural[0], plain)
      assert.match(pathOfKey(folded, rules).natural[0] ?? '', /^(%[0-9A-F]{2})+$/)
    }
    assert.equal(pathOfKey('straße', rules).natural[0], 'stra%C3%9Fe')
  })
})
