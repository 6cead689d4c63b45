import { z } from 'zod'
import type { JsonApp } from '../../json-api/json-app.ts'
import { sendBytes } from '../../json-api/send-bytes.ts'
import type { OpenApiDocument } from './open-api-types.ts'

export interface DocsParts {
  /** Called on the first request, and again after a failure. */
  readonly describe: () => Promise<OpenApiDocument>
}

interface Rendered {
  readonly json: Uint8Array
  readonly page: Uint8Array
  /** The Content-Security-Policy of the page. */
  readonly policy: string
}

/**
 * The OpenAPI document and its page. Neither contains secrets, so both are public. Both are created
 * on the first request.
 */
export async function docsRoutes(app: JsonApp, { describe }: DocsParts): Promise<void> {
  let rendered: Promise<Rendered> | undefined
  const render = () => {
    rendered ??= renderDocs(describe).catch((error: unknown) => {
      rendered = undefined
      throw error
    })
    return rendered
  }

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
    async (_request, reply) => {
      const { json } = await render()
      reply.type('application/json; charset=utf-8').header('cache-control', 'no-cache')
      return sendBytes(reply, json)
    },
  )

  app.get(
    '/-/docs',
    {
      schema: {
        operationId: 'getDocs',
        summary: 'This API description as a page',
        tags: ['service'],
        response: {
          200: { description: 'The page.', content: { 'text/html': { schema: z.string() } } },
        },
      },
    },
    async (_request, reply) => {
      const { page, policy } = await render()
      reply.type('text/html; charset=utf-8').headers({
        'cache-control': 'no-cache',
        'content-security-policy': policy,
        'referrer-policy': 'no-referrer',
      })
      return sendBytes(reply, page)
    },
  )
}

async function renderDocs(describe: DocsParts['describe']): Promise<Rendered> {
  const [document, { docsPage, docsPolicy }] = await Promise.all([
    describe(),
    import('./docs-page.ts'),
  ])
  return {
    json: Buffer.from(JSON.stringify(document)),
    page: Buffer.from(docsPage(document)),
    policy: docsPolicy,
  }
}
