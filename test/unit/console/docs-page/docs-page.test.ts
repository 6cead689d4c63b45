import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { docsPage, docsPolicy } from '../../../../src/console/docs-page/docs-page.ts'
import { describeService } from '../../../../src/console/docs-page/open-api-document.ts'
import type { OpenApiDocument } from '../../../../src/console/docs-page/open-api-types.ts'

const hostile = `<img src=x onerror="alert(1)"> & 'quoted' \`<b>\``

const document: OpenApiDocument = {
  openapi: '3.1.0',
  info: { title: 'Title', version: '1.0.0', description: hostile },
  tags: [{ name: 'things', description: hostile }],
  paths: {
    '/things/{id}': {
      get: {
        operationId: 'getThing',
        summary: hostile,
        tags: ['things'],
        parameters: [
          { name: hostile, in: 'query', description: hostile, schema: { type: 'string' } },
        ],
        responses: {
          200: {
            description: hostile,
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  properties: { [hostile]: { type: 'string', description: hostile } },
                },
              },
            },
          },
        },
      },
    },
  },
  components: { securitySchemes: { session: { description: hostile } }, schemas: {} },
}

test('The page escapes whatever the document says', () => {
  const page = docsPage(document)
  assert.doesNotMatch(page, /<img|<b>/)
  assert.match(
    page,
    /&lt;img src=x onerror=&quot;alert\(1\)&quot;&gt; &amp; &#39;quoted&#39; <code>&lt;b&gt;<\/code>/,
  )
})

test('The page runs nothing, loads nothing, and its policy says so', async () => {
  const page = docsPage(await describeService(async () => undefined))
  assert.doesNotMatch(page, /<script|<link|<img|<iframe|style="|\son\w+=|javascript:|https?:\/\//)
  const [, style = ''] = /<style>([\s\S]*?)<\/style>/.exec(page) ?? []
  const hash = createHash('sha256').update(style).digest('base64')
  assert.match(docsPolicy, /^default-src 'none'; style-src 'sha256-[^']+';/)
  assert.ok(docsPolicy.includes(`'sha256-${hash}'`))
})

test('The page has each operation once, with a heading, and links that lead somewhere', async () => {
  const described = await describeService(async () => undefined)
  const page = docsPage(described)
  const ids = [...page.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id)
  assert.equal(new Set(ids).size, ids.length)
  for (const [, target = ''] of page.matchAll(/href="#([^"]*)"/g)) assert.ok(ids.includes(target))
  for (const item of Object.values(described.paths)) {
    for (const { operationId } of Object.values(item)) {
      assert.ok(page.includes(`<h3 id="${operationId}">`), operationId)
    }
  }
  assert.match(page, /<html lang="en">/)
  assert.match(page, /<main id="content">/)
  assert.match(page, /<nav aria-label=/)
  assert.equal(page.match(/<table>/g)?.length, page.match(/<caption>/g)?.length)
})
