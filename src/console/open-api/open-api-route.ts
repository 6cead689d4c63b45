import type { FastifyReply } from 'fastify'
import { z } from 'zod'
import type { JsonApp } from '../../json-api/json-app.ts'
import type { OpenApiDocument } from './open-api-types.ts'

interface OpenApiParts {
  /** Called on the first request, and again after a failure. */
  readonly describe: () => Promise<OpenApiDocument>
}

/**
 * The OpenAPI document, created on the first request. It contains no secrets and is public. The
 * dashboard's API reference (web/docs.html) shows it.
 */
export async function openApiRoute(app: JsonApp, { describe }: OpenApiParts): Promise<void> {
  let rendered: Promise<Uint8Array> | undefined
  const render = async () => Buffer.from(JSON.stringify(await describe()))

  app.get(
    '/-/openapi.json',
    {
      schema: {
        operationId: 'getOpenApi',
        summary: 'This API description as OpenAPI 3.1',
        tags: ['service'],
        response: { 200: z.looseObject({}).meta({ description: 'The document.' }) },
      },
    },
    async (_request, reply: FastifyReply) => {
      rendered ??= render().catch((error: unknown) => {
        rendered = undefined
        throw error
      })
      const json = await rendered
      reply.type('application/json; charset=utf-8').header('cache-control', 'no-cache')
      return reply.send(json)
    },
  )
}
