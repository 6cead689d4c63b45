import type {
  ApiOperation,
  ApiResponse,
  Content,
  Parameter,
  PathItem,
  Schema,
} from './open-api-types.ts'

/** The refusal of the login and the management API, `{"message", "field"?}`. */
const errorReference: Schema = { $ref: '#/components/schemas/Error' }

const statusWords: readonly (readonly [pattern: RegExp, words: string])[] = [
  [/^200$/, 'Success.'],
  [/^201$/, 'Created.'],
  [/^202$/, 'Accepted.'],
  [/^204$/, 'Done.'],
  [/^400$/, 'The request is invalid; `field` says where.'],
  [/^401$/, 'Sign in first.'],
  [/^429$/, 'Too many requests; Retry-After says when to retry.'],
  [/^4XX$/, 'The request is rejected.'],
  [/^5(XX|\d\d)$/, 'The service cannot handle the request, or not now.'],
]

/** Default descriptions of the schema library and the framework. */
const saysNothing: ReadonlySet<string> = new Set(['Default Response', 'The reason.', ''])

/** Fastify's `*` at the end of a path. */
const wildcard = '*'
const wildcardName = 'id'

/**
 * Cleans up the paths that the framework collects: one schema for all errors, a description for
 * each status, a name for the wildcard, no bounds and patterns that repeat the type.
 */
export function tidyPaths(
  paths: Readonly<Record<string, PathItem>>,
): Readonly<Record<string, PathItem>> {
  return Object.fromEntries(
    Object.entries(paths).map(([path, item]) => [
      path.replace(`{${wildcard}}`, `{${wildcardName}}`),
      Object.fromEntries(
        Object.entries(item).map(([method, operation]) => [method, tidyOperation(operation)]),
      ),
    ]),
  )
}

function tidyOperation(operation: ApiOperation): ApiOperation {
  const { parameters, requestBody, responses, ...rest } = operation
  return {
    ...rest,
    ...(parameters === undefined ? {} : { parameters: parameters.map(tidyParameter) }),
    ...(requestBody === undefined
      ? {}
      : { requestBody: { ...requestBody, content: tidyContent(requestBody.content) } }),
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, response]) => [
        status,
        tidyResponse(status, response),
      ]),
    ),
  }
}

function tidyParameter(parameter: Parameter): Parameter {
  const name = parameter.name === wildcard ? wildcardName : parameter.name
  return { ...parameter, name, schema: tidySchema(parameter.schema) }
}

function tidyResponse(status: string, { content, ...response }: ApiResponse): ApiResponse {
  const words = statusWords.find(([pattern]) => pattern.test(status))?.[1]
  const description = saysNothing.has(response.description)
    ? (words ?? 'A response.')
    : response.description
  return {
    ...response,
    description,
    ...(content === undefined ? {} : { content: tidyContent(content) }),
  }
}

function tidyContent(content: Content): Content {
  return Object.fromEntries(
    Object.entries(content).map(([type, { schema, ...rest }]) => [
      type,
      schema === undefined ? rest : { ...rest, schema: tidySchema(schema) },
    ]),
  )
}

/** Whether a schema is that of `{"message", "field"?}`, wherever it is declared. */
function isError({ properties }: Schema): boolean {
  return properties !== undefined && Object.keys(properties).join() === 'message,field'
}

export function tidySchema(schema: Schema): Schema {
  if (isError(schema)) return errorReference
  const entries = Object.entries(schema)
    .filter(([keyword, value]) => !isNoise(keyword, value, schema))
    .map(([keyword, value]) => [keyword, tidyKeyword(keyword, value)] as const)
  return Object.fromEntries(entries)
}

/** Keywords whose values are a schema, several, or several by name. */
const withOne: ReadonlySet<string> = new Set(['items', 'additionalProperties', 'not'])
const withMany: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf'])

function tidyKeyword(keyword: string, value: unknown): unknown {
  if (keyword === 'properties') {
    const properties = Object.entries(value as Readonly<Record<string, Schema>>)
    return Object.fromEntries(properties.map(([name, schema]) => [name, tidySchema(schema)]))
  }
  if (withMany.has(keyword)) return (value as readonly Schema[]).map(tidySchema)
  if (withOne.has(keyword) && typeof value === 'object') return tidySchema(value as Schema)
  return value
}

function isNoise(keyword: string, value: unknown, schema: Schema): boolean {
  if (keyword === 'minimum' || keyword === 'maximum') {
    return Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER
  }
  if (keyword === 'pattern') return schema.format !== undefined
  return keyword === 'propertyNames' || keyword === 'readOnly' || keyword === '$schema'
}
