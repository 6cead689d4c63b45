import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Setting } from '../src/app/settings/setting.ts'
import { settingsTable } from '../src/app/settings/tables/settings-table.ts'
import { type DifferenceName, differences } from '../src/storage/s3/compatibility.ts'
import { recordedStores } from './recorded-stores.ts'
import { withAbilities } from './store-abilities-table.ts'

/**
 * `npm run docs`: writes the settings table into docs/configuration.md and .env.example, what COMPATIBILITY
 * changes into docs/s3-compatibility.md, and what S3 stores do into docs/s3-drive.md.
 */

const settings = Object.values<Setting<unknown>>(settingsTable)

/** No other table of the document has this head. */
const settingsHead = '| setting | when unset | meaning |\n|---|---|---|\n'
const differencesHead = '| name | by default | with COMPATIBILITY=aws |\n|---|---|---|\n'

/** The files with their generated parts, which have the text around them that was written by hand. */
export function generatedFiles(root: string): { readonly path: string; readonly text: string }[] {
  return Object.entries(generators).map(([name, generate]) => {
    const path = join(root, name)
    return { path, text: generate(readFileSync(path, 'utf8')) }
  })
}

const generators: Readonly<Record<string, (document: string) => string>> = {
  'docs/configuration.md': (document) => withRows(document, settingsHead, settings.map(rowOf)),
  '.env.example': withExamples,
  'docs/s3-compatibility.md': (document) =>
    withRows(document, differencesHead, Object.entries(differences).map(differenceRow)),
  'docs/s3-drive.md': (document) => withAbilities(document, recordedStores()),
}

/** The rows end at the next empty line. */
export function withRows(document: string, head: string, rows: readonly string[]): string {
  const begin = document.indexOf(head) + head.length
  const end = document.indexOf('\n\n', begin) + 1
  return document.slice(0, begin) + rows.join('') + document.slice(end)
}

function differenceRow([name, { aws, contract }]: [string, (typeof differences)[DifferenceName]]) {
  return `| ${name} | ${contract} | ${aws} |\n`
}

function rowOf(setting: Setting<unknown>): string {
  const { name, whenUnset, default: value, defaultInAws, meaning, isSecret } = setting
  const inAws = defaultInAws === undefined ? '' : `; with COMPATIBILITY=aws \`${defaultInAws}\``
  const unset = whenUnset ?? (value === '' ? 'none' : `\`${value}\``) + inAws
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
