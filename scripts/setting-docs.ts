import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Setting } from '../src/wiring/settings/setting.ts'
import { settingsTable } from '../src/wiring/settings/table.ts'

/** `npm run docs`: writes the settings table into docs/configuration.md and .env.example. */

const settings = Object.values<Setting<unknown>>(settingsTable)

/** The table of docs/configuration.md is the only one with this head. */
const tableHead = '| setting | when unset | meaning |\n|---|---|---|\n'

/** The files with their generated parts, which have the text around them that was written by hand. */
export function generatedFiles(root: string): { readonly path: string; readonly text: string }[] {
  return Object.entries({ 'docs/configuration.md': withTable, '.env.example': withExamples }).map(
    ([name, generate]) => {
      const path = join(root, name)
      return { path, text: generate(readFileSync(path, 'utf8')) }
    },
  )
}

/** The rows end at the next empty line. */
function withTable(document: string): string {
  const begin = document.indexOf(tableHead) + tableHead.length
  return (
    document.slice(0, begin) +
    settings.map(rowOf).join('') +
    document.slice(document.indexOf('\n\n', begin) + 1)
  )
}

function rowOf({ name, whenUnset, default: value, meaning, isSecret }: Setting<unknown>): string {
  const unset = whenUnset ?? (value === '' ? 'none' : `\`${value}\``)
  return `| ${name} | ${unset} | ${meaning}${isSecret ? ' Secret.' : ''} |\n`
}

/** All behind the first empty line is generated. */
function withExamples(example: string): string {
  return example.slice(0, example.indexOf('\n\n') + 1) + settings.map(exampleOf).join('')
}

function exampleOf({ name, whenUnset, default: value = '', meaning }: Setting<unknown>): string {
  const unset = whenUnset === undefined ? '' : ` Unset: ${whenUnset}.`
  const comment = `# ${meaning}${unset}`.replaceAll('`', '')
  return `\n${comment}\n#${name}=${whenUnset === undefined ? value : ''}\n`
}

if (import.meta.main) {
  for (const { path, text } of generatedFiles(join(import.meta.dirname, '..')))
    writeFileSync(path, text)
}
