import type {
  ApiOperation,
  ApiResponse,
  Content,
  Parameter,
  PathItem,
  RequestBody,
  Schema,
} from './open-api-types.ts'
import { type S3Answer, type S3Operation, s3Operations, s3Parameters } from './s3-operations.ts'

const pathOf = { service: '/', bucket: '/{bucket}', object: '/{bucket}/{key}' } as const

const pathParameters: Readonly<Record<S3Operation['level'], readonly Parameter[]>> = {
  service: [],
  bucket: [pathParameter('bucket', 'One of ALLOWED_BUCKETS.')],
  object: [
    pathParameter('bucket', 'One of ALLOWED_BUCKETS.'),
    pathParameter('key', 'The rest of the path, including slashes; 1 to 1,024 bytes of UTF-8.'),
  ],
}

const signed = [{ sigV4: [] }, { presigned: [] }] as const

/**
 * The S3 operations as paths: operations that differ only in the query are one operation in
 * OpenAPI.
 */
export function s3Paths(): Readonly<Record<string, PathItem>> {
  const levels = Object.keys(pathOf) as (keyof typeof pathOf)[]
  return Object.fromEntries(levels.map((level) => [pathOf[level], pathItemOf(level)]))
}

function pathItemOf(level: S3Operation['level']): PathItem {
  const operations = s3Operations.filter((operation) => operation.level === level)
  const methods = new Set(operations.map(({ method }) => method))
  return Object.fromEntries(
    [...methods].map((method) => [
      method,
      operationOf(
        level,
        operations.filter((operation) => operation.method === method),
      ),
    ]),
  )
}

function operationOf(
  level: S3Operation['level'],
  operations: readonly S3Operation[],
): ApiOperation {
  const [first] = operations
  if (first === undefined) throw new RangeError('an operation is one at least')
  const requestBody = requestBodyOf(operations)
  return {
    operationId: first.name[0]?.toLowerCase() + first.name.slice(1),
    summary: first.summary,
    ...(operations.length === 1
      ? {}
      : { description: 'Query and header fields select the operation.' }),
    tags: ['s3'],
    parameters: [...pathParameters[level], ...parametersOf(operations)],
    ...(requestBody === undefined ? {} : { requestBody }),
    responses: { ...successesOf(operations), ...refusals(first.method === 'head') },
    security: operations.some(({ isPublic }) => isPublic) ? [...signed, {}] : signed,
    'x-operations': operations.map(({ name, when, summary }) => ({ name, when, summary })),
  }
}

function parametersOf(operations: readonly S3Operation[]): Parameter[] {
  const names = new Set(operations.flatMap(({ parameters = [] }) => parameters))
  return [...names].map((name) => ({ name, ...s3Parameters[name] }))
}

function requestBodyOf(operations: readonly S3Operation[]): RequestBody | undefined {
  const bodies = operations.flatMap(({ body }) => body ?? [])
  return bodies.length === 0 ? undefined : { content: contentOf(bodies) }
}

function successesOf(operations: readonly S3Operation[]): Record<string, ApiResponse> {
  const answers = operations.flatMap((operation) => Object.entries<S3Answer>(operation.answers))
  const statuses = new Set(answers.map(([status]) => status))
  const responses = [...statuses].map((status) => {
    const all = answers.filter(([other]) => other === status).map(([, answer]) => answer)
    return [status, responseOf(all)] as const
  })
  return Object.fromEntries(responses)
}

function responseOf(answers: readonly S3Answer[]): ApiResponse {
  const bodies = answers.flatMap(({ body }) => body ?? [])
  const headers = new Set(answers.flatMap(({ headers = [] }) => headers))
  return {
    description: [...new Set(answers.map(({ description }) => description))].join(' Or: '),
    ...(headers.size === 0
      ? {}
      : { headers: Object.fromEntries([...headers].map((name) => [name, stringHeader])) }),
    ...(bodies.length === 0 ? {} : { content: contentOf(bodies) }),
  }
}

const stringHeader = { schema: { type: 'string' } }

function contentOf(bodies: readonly NonNullable<S3Answer['body']>[]): Content {
  const references = [...new Set(bodies)]
    .filter((body) => body !== 'bytes')
    .map((name): Schema => ({ $ref: `#/components/schemas/${name}` }))
  const [only, ...others] = references
  const schema = others.length === 0 ? only : { oneOf: references }
  return {
    ...(bodies.includes('bytes') ? { 'application/octet-stream': {} } : {}),
    ...(schema === undefined ? {} : { 'application/xml': { schema } }),
  }
}

/** A response to HEAD never has a body. */
function refusals(isHead: boolean): Record<string, ApiResponse> {
  const schema = { $ref: '#/components/schemas/S3Error' }
  const content = isHead ? {} : { content: { 'application/xml': { schema } } }
  return {
    '4XX': { description: 'The request is rejected; the code says why.', ...content },
    '5XX': { description: 'The service cannot handle the request, or not now.', ...content },
  }
}

function pathParameter(name: string, description: string): Parameter {
  return { name, in: 'path', required: true, description, schema: { type: 'string' } }
}
