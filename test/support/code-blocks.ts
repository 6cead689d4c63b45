import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** A fenced block of code of a page. */
export interface CodeBlock {
  /** The text of the heading above it. */
  readonly heading: string
  readonly language: string
  readonly text: string
}

/** The blocks of code of a Markdown page, in order. A block in a list is as if it were not indented. */
export function codeBlocksOf(page: string): CodeBlock[] {
  const text = readFileSync(join(root, page), 'utf8')
  const parts = text.matchAll(
    /^#+ (?<heading>.+)$|^(?<indent> *)```(?<language>\w+)\n(?<code>[\s\S]*?)^ *```$/gm,
  )
  const blocks: CodeBlock[] = []
  let current = ''
  for (const { groups = {} } of parts) {
    const { heading, indent = '', language = '', code = '' } = groups
    if (heading !== undefined) current = heading
    else blocks.push({ heading: current, language, text: withoutIndent(code, indent) })
  }
  return blocks
}

/** @throws when the page has not exactly one such block below the heading. */
export function codeBlockOf(page: string, heading: string, language: string): string {
  const found = codeBlocksOf(page).filter(
    (block) => block.heading === heading && block.language === language,
  )
  const [only] = found
  if (only === undefined || found.length > 1) {
    throw new Error(`${page} has ${found.length} blocks of ${language} below "${heading}"`)
  }
  return only.text
}

/** @throws when the text does not contain what is replaced: the page has changed. */
export function replaced(text: string, changes: Readonly<Record<string, string>>): string {
  let result = text
  for (const [from, to] of Object.entries(changes)) {
    if (!result.includes(from)) throw new Error(`expected ${JSON.stringify(from)} in:\n${text}`)
    result = result.replaceAll(from, to)
  }
  return result
}

function withoutIndent(code: string, indent: string): string {
  return code
    .split('\n')
    .map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line))
    .join('\n')
}
