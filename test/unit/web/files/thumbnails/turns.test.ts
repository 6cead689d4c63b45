import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Turns } from '../../../../../web/src/files/thumbnails/turns.ts'

const nobody = new AbortController().signal

/** Work that ends when it is told to, and notes that it began. */
function works(turns: Turns) {
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const run = (name: string, signal = nobody) =>
    turns.run(signal, async () => {
      begun.push(name)
      const { promise, resolve } = Promise.withResolvers<void>()
      ends.set(name, resolve)
      await promise
      return name
    })
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  const end = async (name: string) => {
    ends.get(name)?.()
    await settle()
  }
  return { begun, run, end, settle }
}

test('some work at a time, the rest in its order', async () => {
  const { begun, run, end, settle } = works(new Turns(2))
  const all = ['a', 'b', 'c', 'd'].map((name) => run(name))
  await settle()
  assert.deepEqual(begun, ['a', 'b'])
  await end('b')
  assert.deepEqual(begun, ['a', 'b', 'c'])
  for (const name of ['a', 'c', 'd']) await end(name)
  assert.deepEqual(await Promise.all(all), ['a', 'b', 'c', 'd'])
})

test('what has the lowest rank when a turn is free comes first', async () => {
  const turns = new Turns(1)
  const begun: string[] = []
  const { promise: first, resolve: endFirst } = Promise.withResolvers<void>()
  let far = 5
  const all = [
    turns.run(nobody, () => first),
    turns.run(
      nobody,
      async () => begun.push('far'),
      () => far,
    ),
    turns.run(
      nobody,
      async () => begun.push('near'),
      () => 3,
    ),
    turns.run(
      nobody,
      async () => begun.push('as near'),
      () => 3,
    ),
  ]
  far = 9
  endFirst()
  await Promise.all(all)
  assert.deepEqual(begun, ['near', 'as near', 'far'])
})

test('what nobody wants any more does not begin, and takes no turn', async () => {
  const { begun, run, end, settle } = works(new Turns(1))
  const leaving = new AbortController()
  const first = run('first')
  const left = run('left', leaving.signal)
  const last = run('last')
  leaving.abort(new Error('gone'))
  await assert.rejects(left, /gone/)
  await assert.rejects(run('late', leaving.signal), /gone/)
  await end('first')
  assert.deepEqual(begun, ['first', 'last'])
  await end('last')
  await Promise.all([first, last])
  const again = run('again')
  await settle()
  assert.deepEqual(begun, ['first', 'last', 'again'])
  await end('again')
  await again
})

test('a turn that comes at the moment of leaving is given on', async () => {
  const { begun, run, end, settle } = works(new Turns(1))
  const leaving = new AbortController()
  const first = run('first')
  const second = run('second', leaving.signal)
  const third = run('third')
  await settle()
  await end('first')
  leaving.abort(new Error('gone'))
  // It had begun: its own work sees the signal.
  await end('second')
  assert.deepEqual(begun, ['first', 'second', 'third'])
  await end('third')
  await Promise.all([first, second, third])
})

test('work that fails gives its turn on', async () => {
  const turns = new Turns(1)
  const failing = turns.run(nobody, () => Promise.reject(new Error('no')))
  const next = turns.run(nobody, async () => 'yes')
  await assert.rejects(failing, /no/)
  assert.equal(await next, 'yes')
})
