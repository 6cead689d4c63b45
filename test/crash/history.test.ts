import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { KeyHistory, type Version } from './history.ts'

function version(id: string): Version {
  return { id, seed: id, size: 1, etag: id }
}

describe('KeyHistory', () => {
  it('allows nothing but absence before the first write', () => {
    assert.deepEqual(new KeyHistory().possible(), ['absent'])
  })

  it('allows only the last of two acknowledged writes', () => {
    const history = new KeyHistory()
    history.begin(version('a')).acknowledge()
    history.begin(version('b')).acknowledge()
    assert.deepEqual(history.possible(), [version('b')])
  })

  it('allows both the acknowledged write and a later interrupted one', () => {
    const history = new KeyHistory()
    history.begin(version('a')).acknowledge()
    history.begin('absent').fail()
    assert.deepEqual(history.possible(), [version('a'), 'absent'])
  })

  it('lets a read show what was written while it ran, and nothing that was replaced before', () => {
    const history = new KeyHistory()
    history.begin(version('a')).acknowledge()
    history.begin(version('b')).acknowledge()
    const outcomes = history.beginRead()
    history.begin(version('c')).acknowledge()
    history.begin(version('d'))
    assert.deepEqual(outcomes(), [version('b'), version('c'), version('d')])
    assert.deepEqual(history.beginRead()(), [version('c'), version('d')])
  })

  it('allows either of two overlapping acknowledged writes', () => {
    const history = new KeyHistory()
    const [a, b] = [history.begin(version('a')), history.begin(version('b'))]
    b.acknowledge()
    a.acknowledge()
    assert.deepEqual(history.possible(), [version('a'), version('b')])
  })

  it('still allows an unfinished write after another outcome was found', () => {
    const history = new KeyHistory()
    history.begin(version('a'))
    history.settle('absent')
    assert.deepEqual(history.possible(), ['absent', version('a')])
  })

  it('forgets a failed write once a later one is acknowledged', () => {
    const history = new KeyHistory()
    history.begin(version('a')).fail()
    history.begin(version('b')).acknowledge()
    assert.deepEqual(history.possible(), [version('b')])
  })
})
