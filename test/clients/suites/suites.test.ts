import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { withRows } from '../../../scripts/setting-docs.ts'
import { diskFolder } from '../../support/disk-folder.ts'
import { type GatewayProcess, startGatewayProcess } from '../../support/gateway-process.ts'
import { absenceOfRegistry } from '../newest/installers.ts'
import { knownFailures } from './known-failures.ts'
import { type ClientSuite, clientSuites, type Outcome, type Outcomes } from './suites.ts'

/**
 * The suites that clients' authors run against servers, against a gateway with COMPATIBILITY=aws. Each test that fails has
 * its reason in known-failures.ts. With NEWEST_DOCS=1 (`npm run docs:clients`) the numbers go into docs/s3-compatibility.md.
 */
const document = join(import.meta.dirname, '../../../docs/s3-compatibility.md')
const tableHead =
  '| suite | registry | version | passed | failed | skipped |\n|---|---|---|---|---|---|\n'

describe('suites of clients with COMPATIBILITY=aws', () => {
  const folder = mkdtempSync(join(diskFolder, 'bucketry-suites-'))
  const rows = new Map<ClientSuite, string>()
  let gateway: GatewayProcess

  before(async () => {
    const served = clientSuites.map(bucketOf).join(',')
    const settings = { COMPATIBILITY: 'aws', ALLOWED_BUCKETS: served }
    gateway = await startGatewayProcess({ folder, settings })
  })

  after(async () => {
    await gateway?.kill()
    rmSync(folder, { recursive: true })
    if (process.env.NEWEST_DOCS !== '1') return
    const found = clientSuites.flatMap((suite) => rows.get(suite) ?? [])
    writeFileSync(document, withRows(readFileSync(document, 'utf8'), tableHead, found))
  })

  for (const suite of clientSuites) {
    const { name, registry } = suite
    it(`${name} of ${registry}`, { skip: absenceOfRegistry(registry) }, async () => {
      const bucket = bucketOf(suite)
      const place = join(folder, `suite-${bucket}`)
      mkdirSync(place)
      const version = await suite.install(place)
      const { host, credentials } = gateway
      const outcomes = await suite.run(place, { host, ...credentials, bucket })
      const numbers = (['pass', 'fail', 'skip'] as const).map((one) => named(outcomes, one).length)
      rows.set(suite, `| ${name} | ${registry} | ${version} | ${numbers.join(' | ')} |\n`)
      assert.notEqual(numbers[0], 0, 'no test passed')
      assert.deepEqual(named(outcomes, 'fail'), knownOf(name), `failures of ${name} ${version}`)
    })
  }
})

const bucketOf = (suite: ClientSuite) => `suite-${clientSuites.indexOf(suite)}`

const named = (outcomes: Outcomes, wanted: Outcome): string[] =>
  [...outcomes].flatMap(([test, outcome]) => (outcome === wanted ? [test] : [])).sort()

const knownOf = (suite: string): string[] =>
  Object.values(knownFailures[suite] ?? {})
    .flat()
    .sort()
