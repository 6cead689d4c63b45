import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseAst } from 'rolldown/parseAst'

const source = join(import.meta.dirname, '../../../../web/src')

/** Folders whose texts are in the catalogue. */
const converted = [
  ...['activity', 'api', 'app', 'buckets', 'connect', 'connection', 'format', 'keys', 'models'],
  ...['files', 'overview', 'plots', 'session', 'settings', 'shares', 'sign-in', 'trash', 'ui'],
]

/** What is the same in each language. */
const names = new Set([
  // A group of scopes of highlight.js.
  'title section strong class',
  ...['Bucketry', 'GET', '/-/docs', 'github.com/bucketry/bucketry', 'bmk_', 'BUCKETRY_KEY='],
  ...['ETag', 'bucketry backup bucketry.backup', 'READ_ONLY', '2xx', '4xx', '5xx'],
  // Examples in empty fields.
  ...['backup-app', 'chat-app', 'gpt-5-preview', 'http://10.0.0.5/v1', 'https://app.example'],
  ...['lab', 'Lab', 'mine', 'openai', 'openai/gpt-5', 'smart', 'X-Title: Lab'],
])

/** Attributes and properties whose texts people read. */
const shown =
  /^(?:action|alt|aria-label|caption|description|failure|hint|label|message|nothingFoundMessage|placeholder|text|title|what)$/

interface Node {
  readonly type: string
  readonly [field: string]: unknown
}

/** Texts in the code that people would read in English, whatever their language. */
function literalTexts(code: string, language: 'ts' | 'tsx'): string[] {
  const texts = textsIn(parseAst(code, { lang: language }), false)
  return texts
    .map((text) => text.trim().replace(/\s+/g, ' '))
    .filter((text) => /\p{L}{2}/u.test(text) && !names.has(text))
}

/** @param isShown whether a text that is the value of this node is shown */
function textsIn(node: unknown, isShown: boolean): string[] {
  if (Array.isArray(node)) return node.flatMap((one) => textsIn(one, isShown))
  if (typeof node !== 'object' || node === null || !('type' in node)) return []
  const { type, ...fields } = node as Node
  if (type === 'ImportDeclaration' || type.startsWith('TS')) return []
  const isValueShown = showsValue(type, fields, isShown)
  const below = Object.entries(fields).flatMap(([field, value]) =>
    textsIn(value, isValueShown && !/^(?:test|key|name)$/.test(field)),
  )
  return [...ownText(type, fields, isShown), ...below]
}

function ownText(type: string, fields: Omit<Node, 'type'>, isShown: boolean): string[] {
  if (type === 'JSXText') return [String(fields.value)]
  if (!isShown) return []
  if (type === 'TemplateElement') return [(fields.value as { readonly cooked: string }).cooked]
  return type === 'Literal' && typeof fields.value === 'string' ? [fields.value] : []
}

function showsValue(type: string, fields: Omit<Node, 'type'>, isShown: boolean): boolean {
  if (type === 'JSXAttribute' || type === 'Property') {
    const name = nameOf(fields.name ?? fields.key)
    return shown.test(name) && !isCode(name, fields.value)
  }
  return isShown && /^(?:ConditionalExpression|JSXExpressionContainer|TemplateLiteral)$/.test(type)
}

/** `action: 'delete'` and `action="details"` are what the service or another module is told. */
function isCode(name: string, node: unknown): boolean {
  if (name !== 'action' && name !== 'what') return false
  const { type, value } = (node ?? {}) as { readonly type?: string; readonly value?: unknown }
  return type === 'Literal' && /^[a-z-]+$/.test(String(value))
}

function nameOf(node: unknown): string {
  const { name, value } = node as { readonly name?: unknown; readonly value?: unknown }
  return String(name ?? value ?? '')
}

test('literalTexts finds texts in elements, attributes and properties', () => {
  const code = `const a = { title: 'My title', id: 'my-id' }
    const b = <p title={isOpen ? 'Close' : \`Open \${name}\`} className="x">Hello <b>{name}</b></p>`
  assert.deepEqual(literalTexts(code, 'tsx'), ['My title', 'Close', 'Open', 'Hello'])
  assert.deepEqual(literalTexts('const c = <p title={texts.a(name)}>{texts.b} · 5</p>', 'tsx'), [])
})

for (const folder of converted) {
  test(`the texts of web/src/${folder} are in the catalogue`, () => {
    const files = readdirSync(join(source, folder), { recursive: true, encoding: 'utf8' })
    const left = files
      .filter((path) => /\.tsx?$/.test(path))
      .flatMap((path) => {
        const code = readFileSync(join(source, folder, path), 'utf8')
        return literalTexts(code, path.endsWith('x') ? 'tsx' : 'ts').map(
          (text) => `${path}: ${text}`,
        )
      })
    assert.deepEqual(left, [])
  })
}
