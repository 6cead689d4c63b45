import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { withRows } from '../../../scripts/setting-docs.ts'
import { diskFolder } from '../../support/disk-folder.ts'
import type { NewestClient } from '../newest/clients.ts'
import { absenceOfRegistry, cached } from '../newest/installers.ts'
import { type Application, applications } from './applications.ts'
import { copyScenarios, type ReplayTools, replay } from './replay.ts'

/**
 * All applications, with the newest `mc` and the newest release of their libraries. With NEWEST_DOCS=1
 * (`npm run docs:clients`) the results go into docs/moving-in.md.
 */
const document = join(import.meta.dirname, '../../../docs/moving-in.md')
const tableHead = '| project | replayed, with | result |\n|---|---|---|\n'
const mcClient: NewestClient = {
  ...{ name: 'github.com/minio/mc', registry: 'Go modules', packages: ['github.com/minio/mc'] },
  scenario: 'python/applications.py',
}

describe('applications that ran beside MinIO, with the newest clients', () => {
  const folder = mkdtempSync(join(diskFolder, 'bucketry-applications-'))
  const rows = new Map<Application, string>()
  const installed = new Map<string, Promise<ReplayTools & { readonly version: string }>>()
  let mc: string | undefined

  before(async () => {
    chmodSync(folder, 0o755)
    if (absenceOfRegistry('Go modules') !== false) return
    mc = join((await toolsOf(mcClient)).folder, 'bin/mc')
  })

  after(() => {
    rmSync(folder, { recursive: true })
    if (process.env.NEWEST_DOCS !== '1') return
    const found = applications.flatMap((application) => rows.get(application) ?? [])
    writeFileSync(document, withRows(readFileSync(document, 'utf8'), tableHead, found))
  })

  /** Installs a library once for all applications that use it. */
  function toolsOf(library: NewestClient) {
    const { registry, scenario } = library
    const name = `${library.packages.join()} ${scenario}`
    const found = installed.get(name)
    if (found !== undefined) return found
    const install = async () => {
      const place = join(folder, `library-${installed.size}`)
      mkdirSync(place)
      copyScenarios(place)
      const { command, version } = await cached[registry].install(library, place)
      const [program, ...args] = command
      // What they name is relative to the place.
      const isFile = (word: string) => word === scenario
      const given = args.map((word) => (isFile(word) ? join(place, word) : inPlace(place, word)))
      return { folder: place, command: [program, ...given] as const, version }
    }
    const made = install()
    installed.set(name, made)
    return made
  }

  for (const application of applications) {
    const { name, library, replayed } = application
    it(name, { skip: absenceOfRegistry(library.registry) }, async (t) => {
      const tools = await toolsOf(library)
      const row = (result: string) =>
        `| ${name} | ${replayed}; ${library.name} ${tools.version} | ${result} |\n`
      rows.set(application, row('fails'))
      await replay(t, application, { ...tools, ...(mc !== undefined && { mc }) })
      rows.set(application, row('passes'))
    })
  }
})

/** Java's class path begins with a folder of the place. */
const inPlace = (place: string, word: string) =>
  word.replace(/^classes:/, `${join(place, 'classes')}:`)
