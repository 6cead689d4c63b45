import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { withRows } from '../../../scripts/setting-docs.ts'
import { diskFolder } from '../../support/disk-folder.ts'
import { type GatewayProcess, startGatewayProcess } from '../../support/gateway-process.ts'
import { type NewestClient, newestClients } from './clients.ts'

/**
 * The newest release of each client, at its defaults, against one gateway with COMPATIBILITY=aws. It needs npm's
 * registry and PyPI. With NEWEST_DOCS=1 (`npm run docs:clients`) the versions go into docs/s3-compatibility.md.
 */
const execute = promisify(execFile)
const document = join(import.meta.dirname, '../../../docs/s3-compatibility.md')
const tableHead = '| client | registry | version | result |\n|---|---|---|---|\n'
/** Only against a registry or a client that hangs. */
const timeoutMs = 600_000

interface Installed {
  readonly program: string
  readonly version: string
}

const installers: Readonly<
  Record<NewestClient['registry'], (client: NewestClient, folder: string) => Promise<Installed>>
> = {
  /** An environment for each: s3fs, for one, needs an older botocore than the newest boto3. */
  async PyPI({ name, packages }, folder) {
    await execute('/usr/bin/env', ['python3', '-m', 'venv', folder], { timeout: timeoutMs })
    const program = join(folder, 'bin/python')
    const args = ['-m', 'pip', 'install', '--quiet', '--upgrade', ...packages]
    await execute(program, args, { timeout: timeoutMs })
    const show = 'import importlib.metadata, sys; print(importlib.metadata.version(sys.argv[1]))'
    const { stdout } = await execute(program, ['-c', show, name])
    return { program, version: stdout.trim() }
  },
  async npm({ name, packages }, folder) {
    const newest = packages.map((one) => `${one}@latest`)
    const args = ['install', '--no-audit', '--no-fund', '--prefix', folder, ...newest]
    await execute('npm', args, { cwd: folder, timeout: timeoutMs })
    const description = readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')
    return { program: process.execPath, version: JSON.parse(description).version }
  },
}

describe('newest clients with COMPATIBILITY=aws', () => {
  const folder = mkdtempSync(join(diskFolder, 'bucketry-newest-'))
  const rows = new Map<NewestClient, string>()
  let gateway: GatewayProcess

  before(async () => {
    const served = newestClients.filter(({ needsBucket }) => needsBucket).map(bucketOf)
    const settings = { COMPATIBILITY: 'aws', ALLOWED_BUCKETS: served.join(',') }
    gateway = await startGatewayProcess({ folder, settings })
  })

  after(async () => {
    await gateway?.kill()
    rmSync(folder, { recursive: true })
    if (process.env.NEWEST_DOCS !== '1') return
    const found = newestClients.flatMap((client) => rows.get(client) ?? [])
    writeFileSync(document, withRows(readFileSync(document, 'utf8'), tableHead, found))
  })

  for (const client of newestClients) {
    const { name, registry, scenario } = client
    it(`${name} of ${registry}`, async () => {
      const bucket = bucketOf(client)
      const place = join(folder, bucket)
      mkdirSync(place)
      const { program, version } = await installers[registry](client, place)
      const row = (result: string) => `| ${name} | ${registry} | ${version} | ${result} |\n`
      rows.set(client, row('fails'))
      // Beside the packages, where Node looks for them.
      cpSync(import.meta.dirname, place, { recursive: true })
      if (client.needsBucket) mkdirSync(join(gateway.driveFolder, bucket), { recursive: true })
      await execute(program, [join(place, scenario)], {
        cwd: place,
        timeout: timeoutMs,
        env: environmentOf(gateway, place, bucket),
      })
      rows.set(client, row('passes'))
    })
  }
})

const bucketOf = (client: NewestClient) => `newest-${newestClients.indexOf(client)}`

/** No configuration or credential of the user. */
function environmentOf({ url, credentials }: GatewayProcess, home: string, bucket: string) {
  const { accessKey, secretKey } = credentials
  return {
    ...{ PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8', AWS_EC2_METADATA_DISABLED: 'true' },
    ...{ ENDPOINT: url, ACCESS_KEY: accessKey, SECRET_KEY: secretKey, BUCKET: bucket },
  }
}
