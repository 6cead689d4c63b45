import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../../../../src/platform/json-api/api-error.ts'
import { type Route, route } from '../../../../src/platform/json-api/route.ts'
import { routeFinder } from '../../../../src/platform/json-api/route-finder.ts'

const declared: readonly (readonly [method: Route['method'], path: string])[] = [
  ['GET', '/v1/models/{id+}'],
  ['POST', '/auth/login'],
  ['GET', '/v1/models'],
  ['OPTIONS', '/v1/models'],
  ['GET', '/v1/models/'],
  ['PATCH', '/items/{id}'],
  ['DELETE', '/items/{id}'],
  ['POST', '/items/new'],
  ['POST', '/items/{id}/test.now'],
  ['GET', '/{any}/{id}/test.now'],
]
const find = routeFinder(
  declared.map(([method, path]) =>
    route({
      ...{ method, path, operationId: `${method} ${path}`, summary: 'x' },
      answer: async () => undefined,
    }),
  ),
)

const found: readonly (readonly [request: string, path: string, params?: object])[] = [
  ['POST /auth/login', '/auth/login'],
  ['POST /auth/lo%67in', '/auth/login'],
  ['GET /v1/models', '/v1/models'],
  ['HEAD /v1/models', '/v1/models'],
  ['GET /v1/model%73', '/v1/models'],
  ['GET /v1/models/', '/v1/models/'],
  ['GET /v1/models/a', '/v1/models/{id+}', { id: 'a' }],
  ['GET /v1/models/a/b%2Fc/', '/v1/models/{id+}', { id: 'a/b/c/' }],
  ['GET /v1/models/a/../b', '/v1/models/{id+}', { id: 'a/../b' }],
  ['GET /v1/models/a%252F', '/v1/models/{id+}', { id: 'a%2F' }],
  ['GET /v1/models//', '/v1/models/{id+}', { id: '/' }],
  ['PATCH /items/7', '/items/{id}', { id: '7' }],
  ['PATCH /items/a%2Fb', '/items/{id}', { id: 'a/b' }],
  ['PATCH /items/', '/items/{id}', { id: '' }],
  ['PATCH /items/new', '/items/{id}', { id: 'new' }],
  ['POST /items/new', '/items/new'],
  ['POST /items/7/test.now', '/items/{id}/test.now', { id: '7' }],
  ['GET /items/7/test.now', '/{any}/{id}/test.now', { any: 'items', id: '7' }],
]

for (const [request, path, params = {}] of found) {
  test(`${request} is found`, () => {
    const [method = '', target = ''] = request.split(' ')
    const { route: each, params: given } = find(method, target)
    assert.equal(each.path, path)
    assert.deepEqual(given, params)
  })
}

const refused: readonly (readonly [request: string, status: number, allow?: string])[] = [
  ['POST /auth/login/', 404],
  ['POST /auth/Login', 404],
  ['POST /auth', 404],
  ['POST /auth//login', 404],
  ['POST /auth%2Flogin', 404],
  ['POST /x/auth/login', 404],
  ['PATCH /items/7/8', 404],
  ['POST /items/7/testXnow', 404],
  ['GET /', 404],
  ['GET /auth/login', 405, 'POST'],
  ['HEAD /auth/login', 405, 'POST'],
  ['PROPFIND /v1/models', 405, 'GET, HEAD, OPTIONS'],
  ['POST /v1/model%73', 405, 'GET, HEAD, OPTIONS'],
  ['DELETE /v1/models/a/b', 405, 'GET, HEAD'],
  ['PUT /items/new', 405, 'DELETE, PATCH, POST'],
  ['PUT /items/7', 405, 'DELETE, PATCH'],
  ['PUT /items/7/test.now', 405, 'GET, HEAD, POST'],
  ['GET /v1/models/%zz', 400],
  ['GET /nowhere/%f', 400],
  [`PATCH /items/${'x'.repeat(1_025)}`, 414],
]

for (const [request, status, allow] of refused) {
  test(`${request.slice(0, 40)} is refused with ${status}`, () => {
    const [method = '', target = ''] = request.split(' ')
    assert.throws(
      () => find(method, target),
      (error) => {
        assert.ok(error instanceof ApiError)
        assert.deepEqual([error.status, error.headers.allow], [status, allow])
        return true
      },
    )
  })
}
