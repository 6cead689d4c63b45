import assert from 'node:assert/strict'
import { test } from 'node:test'
import { planAssembly } from '../../../../../../src/storage/drives/local/uploads/assembly.ts'

const own = (name: string, size = 5) => ({ place: `part-${name}`, size })
const at = (offset: number, size = 5) => ({ place: `@${offset}`, size })
const quiet = { others: [], isQuiet: true }

/** Whether the common file becomes the object, and what is copied. */
const cases = [
  ['slots in order', { ...quiet, listed: [at(0), at(5), at(10, 2)] }, true, []],
  ['a part of its own between them', { ...quiet, listed: [at(0), own('b'), at(10)] }, true, [5]],
  ['a longer last part', { ...quiet, listed: [at(0), own('b', 90)] }, true, [5]],
  ['only parts of their own', { ...quiet, listed: [own('a', 3), own('b')] }, true, [0, 3]],
  ['no first part', { ...quiet, listed: [at(5), at(10)] }, false, [0, 5]],
  ['a short part in the middle', { ...quiet, listed: [at(0, 4), at(5)] }, false, [4]],
  ['a part that is left out', { ...quiet, listed: [at(0)], others: ['@5'] }, false, []],
  ['a left out file', { ...quiet, listed: [at(0)], others: ['part-x'] }, true, []],
  ['a writer', { listed: [at(0), at(5)], others: [], isQuiet: false }, false, []],
] as const

for (const [title, parts, usesCommon, copied] of cases) {
  test(`planAssembly of ${title}`, () => {
    const plan = planAssembly(parts, true)
    assert.equal(plan.usesCommon, usesCommon)
    assert.deepEqual(
      plan.pieces.map(({ position }) => position),
      copied,
    )
    const sizes = [...plan.pieces, ...plan.inPlace].map(({ size }) => size)
    const listed: readonly { readonly size: number }[] = parts.listed
    const sum = (all: readonly number[]) => all.reduce((before, one) => before + one, 0)
    assert.equal(sum(sizes), sum(listed.map(({ size }) => size)), 'every byte is from a part')
    assert.equal(planAssembly(parts, false).usesCommon, false)
  })
}
