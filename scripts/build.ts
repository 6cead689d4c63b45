import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildServer, buildServerWhenNeeded, buildTypes } from './server-build/build-server.ts'
import { buildWeb, buildWebWhenNeeded } from './web-build/build-web.ts'

/**
 * `npm run build` builds the server into dist and the dashboard into web/dist; a name (`server`, `web`, or
 * `types`, which only the package needs) builds one. With `--when-needed`, as `npm start` runs it, only if the sources have changed.
 */
const root = join(import.meta.dirname, '..')

const builders = {
  server: { always: buildServer, whenNeeded: buildServerWhenNeeded },
  types: { always: buildTypes, whenNeeded: buildTypes },
  web: { always: buildWeb, whenNeeded: buildWebWhenNeeded },
} as const

const { positionals, values } = parseArgs({
  options: { 'when-needed': { type: 'boolean', default: false } },
  allowPositionals: true,
})
const names = positionals.length > 0 ? positionals : ['server', 'web']
for (const name of names) {
  const builder = builders[name as keyof typeof builders]
  if (builder === undefined) throw new Error(`${name} is not server, web or types`)
  await builder[values['when-needed'] ? 'whenNeeded' : 'always'](root)
}
