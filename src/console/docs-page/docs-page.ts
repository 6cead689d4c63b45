import { createHash } from 'node:crypto'
import { docsStyle } from './docs-style.ts'
import { escapeHtml, prose } from './html.ts'
import type { ApiOperation, Content, OpenApiDocument, Parameter } from './open-api-types.ts'
import { schemaRows } from './schema-rows.ts'

const styleHash = createHash('sha256').update(docsStyle).digest('base64')

/** The page loads no resources and runs no scripts. */
export const docsPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${styleHash}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Descriptions of components.securitySchemes. */
const schemeWords: Readonly<Record<string, string>> = {
  session: 'a session',
  sigV4: 'Signature Version 4',
  presigned: 'a presigned URL',
  modelsKey: 'MODELS_API_KEY as Bearer',
  modelsKeyHeader: 'MODELS_API_KEY as x-api-key',
}

interface ListedOperation {
  readonly path: string
  readonly method: string
  readonly operation: ApiOperation
}

type Schemas = OpenApiDocument['components']['schemas']

/** Renders the OpenAPI document as a page. */
export function docsPage(document: OpenApiDocument): string {
  const { info, tags } = document
  const operations = listOperations(document)
  const groups = tags.map((tag) => ({
    ...tag,
    operations: operations.filter(({ operation }) => operation.tags.includes(tag.name)),
  }))
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(info.title)} API ${escapeHtml(info.version)}</title>
<style>${docsStyle}</style>
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<div class="layout">
<nav aria-label="Endpoints">
${groups.map(({ name, operations: own }) => navGroup(name, own)).join('\n')}
</nav>
<main id="content">
<h1>${escapeHtml(info.title)} API</h1>
<p>${prose(info.description ?? '')}</p>
<p class="soft">Version ${escapeHtml(info.version)}, as <a href="/-/openapi.json">OpenAPI 3.1</a>. Times are
ISO 8601 in UTC, sizes are bytes.</p>
${accessSection(document)}
${groups.map(({ name, description, operations: own }) => groupSection({ name, description, own }, document.components.schemas)).join('\n')}
</main>
</div>
</body>
</html>
`
}

function listOperations({ paths }: OpenApiDocument): ListedOperation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  )
}

function navGroup(name: string, operations: readonly ListedOperation[]): string {
  const items = operations.map(
    ({ operation }) =>
      `<li><a href="#${escapeHtml(operation.operationId)}">${prose(operation.summary)}</a></li>`,
  )
  return `<h2><a href="#tag-${escapeHtml(name)}">${escapeHtml(name)}</a></h2>
<ul>
${items.join('\n')}
</ul>`
}

function accessSection({ components }: OpenApiDocument): string {
  const rows = Object.entries(components.securitySchemes).map(([name, scheme]) => [
    escapeHtml(schemeWords[name] ?? name),
    prose('description' in scheme ? String(scheme.description) : ''),
  ])
  return `<h2 id="access">Access</h2>\n${table('Authentication', ['With', 'How'], rows)}`
}

function groupSection(
  group: {
    readonly name: string
    readonly description: string
    readonly own: readonly ListedOperation[]
  },
  schemas: Schemas,
): string {
  return `<section aria-labelledby="tag-${escapeHtml(group.name)}">
<h2 id="tag-${escapeHtml(group.name)}">${escapeHtml(group.name)}</h2>
<p>${prose(group.description)}</p>
${group.own.map((listed) => article(listed, schemas)).join('\n')}
</section>`
}

function article({ path, method, operation }: ListedOperation, schemas: Schemas): string {
  const { operationId, summary, description, parameters, requestBody } = operation
  const parts = [
    `<h3 id="${escapeHtml(operationId)}"><code><span class="method ${escapeHtml(method)}">${escapeHtml(method.toUpperCase())}</span>${escapeHtml(path)}</code></h3>`,
    `<p class="summary">${prose(summary)}</p>`,
    description === undefined ? '' : `<p>${prose(description)}</p>`,
    `<p class="soft">Needs ${escapeHtml(neededBy(operation))}.</p>`,
    variantsTable(operation),
    parametersTable(parameters ?? []),
    contentTables('Body', requestBody?.content ?? {}, schemas),
    responsesTable(operation),
    ...Object.entries(operation.responses)
      .filter(([status]) => status.startsWith('2'))
      .map(([status, { content }]) => contentTables(`Answer ${status}`, content ?? {}, schemas)),
  ]
  return `<article aria-labelledby="${escapeHtml(operationId)}">
${parts.filter((part) => part !== '').join('\n')}
</article>`
}

function neededBy({ security = [] }: ApiOperation): string {
  if (security.length === 0) return 'nothing'
  const ways = security.map((schemes) =>
    Object.keys(schemes).map((name) => schemeWords[name] ?? name),
  )
  const words = ways.filter((names) => names.length > 0).map((names) => names.join(' and '))
  const isOpen = ways.some((names) => names.length === 0)
  return words.join(' or ') + (isOpen ? ', unless access is public' : '')
}

function variantsTable({ 'x-operations': variants = [] }: ApiOperation): string {
  if (variants.length < 2) return ''
  const rows = variants.map(({ name, when, summary }) => [
    `<code>${escapeHtml(name)}</code>`,
    prose(when === '' ? 'otherwise' : when),
    prose(summary),
  ])
  return table('Operations', ['Name', 'With', 'What'], rows)
}

function parametersTable(parameters: readonly Parameter[]): string {
  if (parameters.length === 0) return ''
  const rows = parameters.map(({ name, in: place, required, description = '', schema }) => [
    `<code>${escapeHtml(name)}</code>`,
    escapeHtml(place) + (required === true ? '' : ', optional'),
    prose(description || String(schema.description ?? '')),
  ])
  return table('Parameters', ['Name', 'In', 'What'], rows)
}

function responsesTable({ responses }: ApiOperation): string {
  const rows = Object.entries(responses).map(([status, { description, content = {} }]) => [
    `<code>${escapeHtml(status)}</code>`,
    Object.keys(content).map(escapeHtml).join(', '),
    prose(description),
  ])
  return table('Answers', ['Status', 'Content', 'When'], rows)
}

/** Skips bodies without a schema. */
function contentTables(title: string, content: Content, schemas: Schemas): string {
  return Object.entries(content)
    .map(([type, { schema }]) => {
      if (schema === undefined) return ''
      const rows = schemaRows(schema, schemas).map((row) => [
        `<code>${escapeHtml(row.field || 'all of it').replaceAll('.', '.<wbr>')}</code>`,
        escapeHtml(row.type) + (row.isRequired ? '' : ', optional'),
        prose(row.description),
      ])
      return table(`${title}, ${type}`, ['Field', 'Type', 'What'], rows)
    })
    .join('\n')
}

/** @param rows HTML; the first cell of each names its row. */
function table(
  caption: string,
  heads: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const head = heads.map((text) => `<th scope="col">${escapeHtml(text)}</th>`).join('')
  const body = rows.map(
    ([first = '', ...cells]) =>
      `<tr><th scope="row">${first}</th>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`,
  )
  return `<div class="table"><table>
<caption>${escapeHtml(caption)}</caption>
<thead><tr>${head}</tr></thead>
<tbody>
${body.join('\n')}
</tbody>
</table></div>`
}
