import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { KeyHistory, type Version } from './history.ts'
import { VersionHistory } from './version-history.ts'

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

describe('VersionHistory', () => {
  const shownAs = (versionId: string, id = versionId) => ({ versionId, id })
  const marker = (versionId: string) => ({ versionId, id: undefined })
  /** Versions with these IDs, acknowledged one after the other. */
  function written(...ids: readonly string[]): VersionHistory {
    const history = new VersionHistory()
    for (const id of ids) history.begin(version(id)).acknowledge(id)
    return history
  }

  it('expects each acknowledged version once, the newest first', () => {
    const [a, b] = [shownAs('a'), shownAs('b')]
    assert.deepEqual(written('a', 'b').settle([b, a]), [])
    assert.equal(written('a', 'b').settle([a, b]).length, 1, 'order')
    assert.equal(written('a', 'b').settle([b]).length, 1, 'lost')
    assert.ok(written('a', 'b').settle([b, a, shownAs('c', 'a')]).length > 0, 'twice')
    assert.equal(written('a', 'b').settle([b, shownAs('a', 'x')]).length, 2, 'other bytes')
    assert.equal(written('a').settle([marker('m'), a]).length, 1, 'a marker')
  })

  it('allows a write without a reply to be there or not, and then no other', () => {
    for (const shown of [[marker('c'), shownAs('a')], [shownAs('a')]]) {
      const history = written('a')
      history.begin('absent').fail()
      assert.deepEqual(history.settle(shown), [])
      const others = shown.length === 1 ? [marker('c'), shownAs('a')] : [shownAs('a')]
      assert.equal(history.settle(others).length, 1)
    }
  })

  it('takes a marker without a reply for that of the deletion that it can be of', () => {
    const history = written('a')
    history.begin('absent').fail()
    history.begin(version('b')).acknowledge('b')
    history.begin('absent').fail()
    assert.deepEqual(history.settle([shownAs('b'), marker('m'), shownAs('a')]), [])
    const other = written('a', 'b')
    other.begin('absent').fail()
    assert.equal(other.settle([shownAs('b'), marker('m'), shownAs('a')]).length, 1, 'order')
    const late = written('a')
    // It may happen at any time, unlike the next one, which had ended before b was sent.
    late.begin('absent')
    late.begin('absent').fail()
    late.begin(version('b')).acknowledge('b')
    assert.deepEqual(late.settle([marker('m'), shownAs('b'), shownAs('a')]), [])
    const refused = written('a')
    refused.begin('absent').fail()
    refused.begin(version('b')).acknowledge('b')
    assert.equal(refused.settle([marker('m'), shownAs('b'), shownAs('a')]).length, 1, 'too late')
  })

  it('expects a removed version to be gone, and one whose removal had no reply to be there or not', () => {
    const removed = written('a', 'b')
    removed.beginRemoval('a').acknowledge()
    assert.equal(removed.settle([shownAs('b'), shownAs('a')]).length, 1)
    for (const shown of [[shownAs('b'), shownAs('a')], [shownAs('b')]]) {
      const history = written('a', 'b')
      history.beginRemoval('a').fail()
      assert.deepEqual(history.settle(shown), [])
    }
  })

  it('expects the last version `null`, or one that overlapped it', () => {
    const history = () => {
      const some = written('a')
      some.begin(version('b')).acknowledge('null')
      some.begin('absent').acknowledge('null')
      return some
    }
    assert.deepEqual(history().settle([marker('null'), shownAs('a')]), [])
    assert.ok(history().settle([shownAs('null', 'b'), shownAs('a')]).length > 0, 'an older one')
    assert.equal(history().settle([shownAs('a')]).length, 1, 'none')
    const overlapped = history()
    overlapped.begin(version('c')).fail()
    assert.deepEqual(overlapped.settle([shownAs('null', 'c'), shownAs('a')]), [])
  })

  it('knows which versions are there after a Complete that was sent twice', () => {
    const history = written('a')
    history.begin(version('b')).fail()
    assert.deepEqual(history.settle([shownAs('1', 'b'), shownAs('a')]), [])
    history.begin(version('b')).acknowledge('1')
    assert.deepEqual(
      history.known().map(({ versionId }) => versionId),
      ['1', 'a'],
    )
    assert.deepEqual(history.settle([shownAs('1', 'b'), shownAs('a')]), [])
  })
})
