import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { withRows } from '../../../scripts/setting-docs.ts'
import { codeBlocksOf, replaced } from '../../support/code-blocks.ts'
import { diskFolder } from '../../support/disk-folder.ts'
import type { NewestClient } from '../newest/clients.ts'
import { absenceOfRegistry, cached, execute } from '../newest/installers.ts'
import { type Application, applications } from './applications.ts'
import { copyScenarios, type ReplayTools, replay, startAsImage } from './replay.ts'

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

describe('Data of MinIO', () => {
  const skip = absenceOfRegistry('Go modules')
  // Tags come along only from MinIO, whose listings have them.
  it('the commands copy buckets, policies, headers and lifecycle rules', {
    skip,
  }, async (t) => {
    const place = mkdtempSync(join(diskFolder, 'bucketry-mc-'))
    t.after(() => rmSync(place, { recursive: true }))
    copyScenarios(place)
    await cached['Go modules'].install(mcClient, place)
    const container = {
      environment: { MINIO_ROOT_USER: 'KEY', MINIO_ROOT_PASSWORD: 'SECRET-SECRET' },
    }
    const command = ['server', 'FOLDER']
    const [old, other] = await Promise.all([
      startAsImage(t, { ...container, command }),
      startAsImage(t, { ...container, command }),
    ])
    const [commands] = codeBlocksOf('docs/moving-in.md').filter(
      ({ heading, language }) => heading === 'Data of MinIO' && language === 'sh',
    )
    const copy = replaced(commands?.text ?? '', {
      'http://127.0.0.1:9100 OLD-KEY OLD-SECRET': `${old.url} KEY SECRET-SECRET`,
      'http://127.0.0.1:9000 KEY SECRET': `${other.url} KEY SECRET-SECRET`,
    })
    const fill = `mc alias set old ${old.url} KEY SECRET-SECRET
      mc mb old/photos
      mc anonymous set download old/photos
      mc ilm rule add --expire-days 30 --prefix tmp/ old/photos
      echo waves > sea.txt
      mc cp --attr 'Cache-Control=max-age=60;X-Amz-Meta-By=me' sea.txt 'old/photos/sea é.txt'\n`
    const options = {
      cwd: other.home,
      env: { PATH: `${place}/bin:${process.env.PATH}`, HOME: other.home },
    }
    await execute('/bin/bash', ['-ec', fill + copy], options)
    const reply = await fetch(`${other.url}/photos/sea%20%C3%A9.txt`)
    assert.equal(await reply.text(), 'waves\n')
    assert.equal(reply.headers.get('cache-control'), 'max-age=60')
    assert.equal(reply.headers.get('x-amz-meta-by'), 'me')
    const rules = await execute('mc', ['ilm', 'rule', 'export', 'bucketry/photos'], options)
    assert.match(rules.stdout, /"Days": ?30/)
  })
})

/** Java's class path begins with a folder of the place. */
const inPlace = (place: string, word: string) =>
  word.replace(/^classes:/, `${join(place, 'classes')}:`)
