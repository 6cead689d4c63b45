import { z } from 'zod'
import type { Route } from '../../platform/json-api/route.ts'

/** The part of OpenAPI 3.1 (https://spec.openapis.org/oas/v3.1.1) that is used here. */
export interface OpenApiDocument {
  readonly openapi: string
  readonly info: {
    readonly title: string
    readonly version: string
    readonly description?: string
    readonly license?: { readonly name: string; readonly identifier: string }
  }
  readonly servers?: readonly { readonly url: string; readonly description?: string }[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, PathItem>>
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, object>>
    readonly schemas: Readonly<Record<string, Schema>>
  }
}

/** Operations by HTTP method, in lower case. */
export type PathItem = Readonly<Record<string, ApiOperation>>

export interface ApiOperation {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly tags: readonly string[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: RequestBody
  readonly responses: Readonly<Record<string, ApiResponse>>
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[]
}

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly description?: string
  readonly schema: Schema
}

interface RequestBody {
  readonly description?: string
  readonly required?: boolean
  readonly content: Content
}

export interface ApiResponse {
  readonly description: string
  readonly headers?: Readonly<Record<string, { readonly schema: Schema }>>
  readonly content?: Content
}

/** By media type. */
type Content = Readonly<Record<string, { readonly schema?: Schema }>>

/** The part of JSON Schema that is used. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly additionalProperties?: boolean | Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly format?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly [keyword: string]: unknown
}

/** The error reply of the login and the management API, `{"message", "field"?}`. */
const errorReference: Schema = { $ref: '#/components/schemas/Error' }

const words: Readonly<Record<number, string>> = {
  200: 'Success.',
  201: 'Created.',
  202: 'Accepted.',
  204: 'Done.',
}

/** The paths of the OpenAPI document that these routes serve. */
export function describeRoutes(routes: readonly Route[]): Readonly<Record<string, PathItem>> {
  const paths: Record<string, Record<string, ApiOperation>> = {}
  for (const route of routes) {
    if (route.isHidden === true) continue
    const path = route.path.replace('+}', '}')
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route) }
  }
  return paths
}

function operationOf(route: Route): ApiOperation {
  const { operationId, summary, description, tag, access, params, query, body } = route
  const parameters = [...parametersOf(params, 'path'), ...parametersOf(query, 'query')]
  const security = access?.security
  return {
    ...{ operationId, summary, tags: tag === undefined ? [] : [tag] },
    ...(description !== undefined && { description }),
    ...(security !== undefined && { security }),
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && {
      requestBody: { required: true, content: contentOf(jsonSchema(body, 'input')) },
    }),
    responses: responsesOf(route),
  }
}

function parametersOf(schema: z.ZodType | undefined, place: 'path' | 'query'): Parameter[] {
  if (schema === undefined) return []
  const { properties = {}, required = [] } = jsonSchema(schema, 'input')
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    ...{ name, in: place, required: required.includes(name), schema: rest },
    ...(description !== undefined && { description }),
  }))
}

function responsesOf({
  status = 200,
  reply,
  replyDescription,
  errors = {},
  errorSchema,
}: Route): Readonly<Record<string, ApiResponse>> {
  const schema = reply === undefined ? undefined : jsonSchema(reply, 'output')
  const error = errorSchema === undefined ? errorReference : jsonSchema(errorSchema, 'output')
  const content = contentOf(error)
  return {
    [status]: {
      description: replyDescription ?? schema?.description ?? words[status] ?? 'A response.',
      ...(schema !== undefined && { content: contentOf(schema) }),
    },
    ...Object.fromEntries(
      Object.entries(errors).map(([each, description]) => [each, { description, content }]),
    ),
    '4XX': { description: 'The request is rejected.', content },
    '5XX': { description: 'The service cannot handle the request, at least not now.', content },
  }
}

function contentOf(schema: Schema) {
  return { 'application/json': { schema } }
}

/** The JSON Schema of what a client sends (`input`) or receives (`output`). */
export function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Schema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ jsonSchema: node }) => removeNoise(node),
  })
  return json as Schema
}

/** Removes keywords that repeat the type or say nothing. */
function removeNoise(node: z.core.JSONSchema.BaseSchema): void {
  if (node.minimum === Number.MIN_SAFE_INTEGER) delete node.minimum
  if (node.maximum === Number.MAX_SAFE_INTEGER) delete node.maximum
  if (node.format !== undefined) delete node.pattern
  delete node.propertyNames
  delete node.readOnly
}
