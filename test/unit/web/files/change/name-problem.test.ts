import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { nameProblem } from '../../../../../web/src/files/change/name-problem.ts'

describe('nameProblem', () => {
  for (const name of ['', 'a/b', '.', '..', '\ud800']) {
    test(`refuses ${JSON.stringify(name)}`, () => assert.ok(nameProblem(name)))
  }
  for (const name of ['a b+c%.txt', 'é', ' ', '...', '-']) {
    test(`allows ${JSON.stringify(name)}`, () => assert.equal(nameProblem(name), undefined))
  }
})
