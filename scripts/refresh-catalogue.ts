import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { dataFolder } from '../src/models/catalogue/catalogue.ts'
import { refreshData } from './refresh-data.ts'

/** Updates the built-in model catalogue, as described in docs/model-catalogue.md. */

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    prune: { type: 'boolean', default: false },
    facts: { type: 'boolean', default: false },
  },
})
const [checkout] = positionals

if (checkout === undefined || positionals.length > 1) {
  process.stderr.write(
    'usage: node scripts/refresh-catalogue.ts [--prune | --facts] PATH-OF-MODELS.DEV\n',
  )
  process.exitCode = 2
} else {
  const options = { isPruning: values.prune, isFactsOnly: values.facts, format: formatJson }
  const report = await refreshData({ checkout, dataFolder, ...options })
  process.stdout.write(report.length === 0 ? 'nothing changed\n' : `${report.join('\n')}\n`)
}

/** Formats as `npm run format` does, so that a refresh changes no other lines. */
function formatJson(text: string, name: string): string {
  const biome = join(import.meta.dirname, '..', 'node_modules', '.bin', 'biome')
  return execFileSync(biome, ['format', `--stdin-file-path=${join(dataFolder, name)}`], {
    input: text,
    encoding: 'utf8',
    cwd: import.meta.dirname,
  })
}
