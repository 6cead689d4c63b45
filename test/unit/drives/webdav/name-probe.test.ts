import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { pathOfKey } from '../../../../src/drives/key-path.ts'
import type { DavPath } from '../../../../src/drives/webdav/dav-path.ts'
import type { DavServer } from '../../../../src/drives/webdav/dav-server.ts'
import {
  type NameFindings,
  NameProbe,
  rulesFrom,
} from '../../../../src/drives/webdav/name-probe.ts'

/** A server that keeps names as they were sent, and takes those for one that `fold` makes the same. */
function serverThatFolds(fold: (name: string) => string): DavServer {
  const files = new Map<string, string>()
  const placeOf = (path: DavPath) => path.map(fold).join('/')
  const server: Partial<Record<keyof DavServer, unknown>> = {
    makeFolder: async () => true,
    put: async (path: DavPath) => {
      files.set(placeOf(path), path.at(-1) ?? '')
      return { status: 201 }
    },
    transfer: async (_method: string, { from, to }: { from: DavPath; to: DavPath }) => {
      if (files.has(placeOf(to))) return { status: 412 }
      files.delete(placeOf(from))
      files.set(placeOf(to), to.at(-1) ?? '')
      return { status: 201 }
    },
    stat: async (path: DavPath) => (files.has(placeOf(path)) ? { isFolder: false } : undefined),
    list: async (path: DavPath) => {
      const below = `${placeOf(path)}/`
      const entries = [...files].filter(([place]) => place.startsWith(below))
      return { children: entries.map(([, name]) => ({ name })) }
    },
  }
  return server as unknown as DavServer
}

const findingsOf = (fold: (name: string) => string): Promise<NameFindings> =>
  new NameProbe(serverThatFolds(fold), ['probe']).run()

describe('NameProbe', () => {
  it('finds nothing where all names are kept apart', async () => {
    const findings = await findingsOf((name) => name)
    const { foldsCase, composes, decomposes, characters } = findings
    assert.deepEqual([foldsCase, composes, decomposes, characters], [false, false, false, []])
  })

  it('finds a server that takes capitals for small letters', async () => {
    assert.equal((await findingsOf((name) => name.toLowerCase())).foldsCase, true)
  })

  it('finds a server that takes both forms of a letter for one, and keeps what was sent', async () => {
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

describe('rulesFrom', () => {
  it('leaves no two letters as they are that a server without case may take for one', async () => {
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

  it('escapes one of two letters that are folded together', async () => {
    const rules = rulesFrom(await findingsOf((name) => name.toLowerCase()))
    for (const [plain = '', folded = ''] of ['aA', 'σς', 'sſ', 'μµ', 'iı', 'kK']) {
      assert.equal(pathOfKey(plain, rules).natural[0], plain)
      assert.match(pathOfKey(folded, rules).natural[0] ?? '', /^(%[0-9A-F]{2})+$/)
    }
    assert.equal(pathOfKey('straße', rules).natural[0], 'stra%C3%9Fe')
  })
})
