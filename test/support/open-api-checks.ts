import assert from 'node:assert/strict'
import type {
  ApiOperation,
  OpenApiDocument,
  Parameter,
  Schema,
} from '../../src/dashboard/open-api/describe-routes.ts'

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']
const jsonTypes = ['null', 'boolean', 'object', 'array', 'number', 'string', 'integer']

/**
 * Checks a document against what OpenAPI 3.1.1 demands of the parts that are used here: section and
 * field names are those of https://spec.openapis.org/oas/v3.1.1.
 */
export function assertOpenApi(document: OpenApiDocument): void {
  assert.match(document.openapi, /^3\.1\.\d+$/)
  for (const name of ['title', 'version'] as const)
    assert.equal(typeof document.info[name], 'string')
  assertTags(document)
  assertPathTemplates(Object.keys(document.paths))
  const ids: string[] = []
  for (const [path, item] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(item)) {
      const where = `${method} ${path}`
      assert.ok(methods.includes(method), where)
      ids.push(operation.operationId)
      assertOperation(document, operation, where)
      assertPathParameters(path, operation.parameters ?? [], where)
      if (method === 'head') assertBodiless(operation, where)
    }
  }
  assert.deepEqual(ids.toSorted(), [...new Set(ids)].toSorted(), 'operationId is unique')
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    assert.match(name, /^[a-zA-Z0-9._-]+$/)
    assertSchema(document, schema, name)
  }
  assertSecuritySchemes(document)
}

/** "Tag Object": each name once, and each tag that is used declared. */
function assertTags({ tags, paths }: OpenApiDocument): void {
  const names = tags.map(({ name }) => name)
  assert.equal(new Set(names).size, names.length)
  for (const operation of Object.values(paths).flatMap((item) => Object.values(item))) {
    assert.ok(operation.tags.length > 0, operation.operationId)
    for (const tag of operation.tags) assert.ok(names.includes(tag), tag)
  }
}

/** "Paths Object": they begin with a slash; none differs only in the names of its templates. */
function assertPathTemplates(paths: readonly string[]): void {
  const shapes = paths.map((path) => path.replaceAll(/\{[^}]*\}/g, '{}'))
  for (const path of paths) assert.match(path, /^\/(?:[^{}?#]|\{[a-zA-Z0-9_-]+\})*$/)
  assert.equal(new Set(shapes).size, shapes.length)
}

function assertOperation(document: OpenApiDocument, operation: ApiOperation, where: string): void {
  const { operationId, summary, parameters = [], requestBody, responses, security = [] } = operation
  assert.match(operationId, /^[A-Za-z][A-Za-z0-9]*$/, where)
  assert.ok(summary.length > 0, where)
  assert.ok(Object.keys(responses).length > 0, where)
  for (const [status, { description, content = {}, headers = {} }] of Object.entries(responses)) {
    assert.match(status, /^(?:[1-5]\d\d|[1-5]XX|default)$/, where)
    assert.ok(description.length > 0, where)
    assertContent(document, content, where)
    for (const { schema } of Object.values(headers)) assertSchema(document, schema, where)
  }
  if (requestBody !== undefined) {
    assert.ok(Object.keys(requestBody.content).length > 0, where)
    assertContent(document, requestBody.content, where)
  }
  const places = parameters.map(({ name, in: place }) => `${place} ${name.toLowerCase()}`)
  assert.equal(new Set(places).size, places.length, where)
  for (const parameter of parameters) assertParameter(document, parameter, where)
  for (const name of security.flatMap((schemes) => Object.keys(schemes))) {
    assert.ok(name in document.components.securitySchemes, `${where}: ${name}`)
  }
}

function assertParameter(document: OpenApiDocument, parameter: Parameter, where: string): void {
  assert.ok(['path', 'query', 'header', 'cookie'].includes(parameter.in), where)
  // "Parameter Object": these are described by other means.
  assert.doesNotMatch(parameter.name, /^(?:accept|content-type|authorization)$/, where)
  assertSchema(document, parameter.schema, where)
}

/** "Parameter Object": a path parameter is required, and each template has one. */
function assertPathParameters(path: string, parameters: readonly Parameter[], where: string): void {
  const templates = [...path.matchAll(/\{([^}]*)\}/g)].map(([, name]) => name)
  const declared = parameters.filter(({ in: place }) => place === 'path')
  assert.deepEqual(declared.map(({ name }) => name).toSorted(), templates.toSorted(), where)
  for (const { required } of declared) assert.equal(required, true, where)
}

function assertBodiless({ responses }: ApiOperation, where: string): void {
  for (const { content } of Object.values(responses)) assert.equal(content, undefined, where)
}

function assertContent(
  document: OpenApiDocument,
  content: NonNullable<ApiOperation['requestBody']>['content'],
  where: string,
): void {
  for (const [type, { schema }] of Object.entries(content)) {
    assert.match(type, /^[a-z*]+\/[a-z0-9.+*-]+$/, where)
    if (schema !== undefined) assertSchema(document, schema, where)
  }
}

function assertSchema(document: OpenApiDocument, schema: Schema, where: string): void {
  assert.equal(typeof schema, 'object', where)
  if (schema.$ref !== undefined) {
    const [, name = ''] = /^#\/components\/schemas\/(.+)$/.exec(schema.$ref) ?? []
    assert.ok(name in document.components.schemas, `${where}: ${schema.$ref}`)
  }
  for (const type of [schema.type ?? []].flat()) assert.ok(jsonTypes.includes(type), where)
  // JSON Schema 2020-12 knows no such keyword of OpenAPI 3.0.
  assert.equal('nullable' in schema, false, where)
  const properties = Object.entries(schema.properties ?? {})
  if (schema.properties !== undefined) {
    for (const name of schema.required ?? []) assert.ok(name in schema.properties, where)
  }
  for (const [name, inner] of properties) assertSchema(document, inner, `${where}.${name}`)
  for (const inner of [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) {
    assertSchema(document, inner, where)
  }
  if (schema.items !== undefined) assertSchema(document, schema.items, `${where}[]`)
  if (typeof schema.additionalProperties === 'object') {
    assertSchema(document, schema.additionalProperties, where)
  }
}

/** "Security Scheme Object". */
function assertSecuritySchemes({ components }: OpenApiDocument): void {
  for (const scheme of Object.values(components.securitySchemes)) {
    const { type, scheme: name, in: place, name: field } = scheme as Record<string, string>
    if (type === 'http') assert.ok(name)
    else
      assert.ok(type === 'apiKey' && field && ['header', 'query', 'cookie'].includes(place ?? ''))
  }
}
