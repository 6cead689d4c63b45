import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RouteTable } from '../../../src/json-api/route-table.ts'

const table = new RouteTable()
table.add('/auth/login', ['POST'])
table.add('/v1/models', ['GET'])
table.add('/v1/models', ['OPTIONS'])
table.add('/v1/models/*', ['GET'])
table.add('/items/:id', ['PATCH', 'DELETE'])
table.add('/items/new', ['POST'])
table.add('/items/:id/test.now', ['POST'])

const cases: readonly (readonly [target: string, methods: readonly string[]])[] = [
  ['/auth/login', ['POST']],
  ['/auth/login?x=/items/1', ['POST']],
  ['/auth/login/', []],
  ['/auth/Login', []],
  ['/auth', []],
  ['/x/auth/login', []],
  ['/v1/models', ['GET', 'OPTIONS']],
  ['/v1/models/a/b%2Fc', ['GET']],
  ['/items/7', ['DELETE', 'PATCH']],
  ['/items/new', ['DELETE', 'PATCH', 'POST']],
  ['/items/', []],
  ['/items/7/8', []],
  ['/items/7/test.now', ['POST']],
  ['/items/7/testXnow', []],
  ['', []],
]

for (const [target, methods] of cases) {
  test(`methodsOf ${target} is ${methods.join(', ') || 'empty'}`, () => {
    assert.deepEqual(table.methodsOf(target), methods)
  })
}
