import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { parse } from 'yaml'
import { settingsTable } from '../../../src/app/settings/tables/settings-table.ts'
import { codeBlockOf, codeBlocksOf } from '../../support/code-blocks.ts'

const root = join(import.meta.dirname, '../../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

const settingNames: ReadonlySet<string> = new Set(
  Object.values(settingsTable).map(({ name }) => name),
)

/** A setting, or a setting that is read from a file. */
function isSetting(name: string): boolean {
  return settingNames.has(name.replace(/_FILE$/, ''))
}

interface ComposeService {
  /** Absent if it is built. */
  readonly image?: string
  readonly environment?: Readonly<Record<string, string>>
  readonly secrets?: readonly string[]
  readonly volumes?: readonly string[]
  readonly networks?: readonly string[]
  readonly ports?: readonly string[]
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
  readonly healthcheck?: { readonly test: readonly string[] }
  readonly read_only?: boolean
}

interface ComposeFile {
  readonly services: Readonly<Record<string, ComposeService>>
  readonly volumes?: Readonly<Record<string, unknown>>
  readonly networks?: Readonly<Record<string, unknown>>
  readonly secrets?: Readonly<Record<string, { readonly file: string }>>
}

/** Files of the repository, and blocks of the pages. */
const composeFiles: readonly (readonly [string, string])[] = [
  ...['compose.yaml', 'compose.postgres.yaml', 'compose.fleet.yaml'].map(
    (path) => [path, read(path)] as const,
  ),
  ...globSync('docs/*.md', { cwd: root }).flatMap((page) =>
    codeBlocksOf(page)
      .filter(({ language, text }) => language === 'yaml' && text.startsWith('services:'))
      .map(({ heading, text }) => [`${page}, ${heading}`, text] as const),
  ),
]

for (const [name, text] of composeFiles) {
  const file = parse(text, { strict: true, uniqueKeys: true }) as ComposeFile
  const services = Object.entries(file.services)

  test(`${name}: environment names of Bucketry are settings`, () => {
    const ours = services.filter(([, { image }]) => image?.includes('/bucketry:'))
    assert.equal(ours.length, name === 'compose.fleet.yaml' ? 3 : 1)
    for (const [, { environment = {} }] of ours) {
      for (const setting of Object.keys(environment)) assert.ok(isSetting(setting), setting)
    }
  })

  test(`${name}: images are pinned to a major version or a newer part`, () => {
    for (const [service, { image }] of services) {
      if (image !== undefined) assert.match(image, /:\d+(\.\d+)*$/, service)
    }
  })

  test(`${name}: volumes, networks, secrets and services that are used exist`, () => {
    for (const [service, { volumes = [], networks = [], secrets = [], ...rest }] of services) {
      for (const volume of volumes) {
        const [source = ''] = volume.split(':')
        assert.ok(/^[./]/.test(source) || source in (file.volumes ?? {}), `${service}: ${source}`)
      }
      for (const network of networks) assert.ok(network in (file.networks ?? {}), network)
      for (const secret of secrets) assert.ok(secret in (file.secrets ?? {}), secret)
      for (const other of Object.keys(rest.depends_on ?? {})) assert.ok(other in file.services)
    }
  })

  const isForTests = services.some(([, { environment }]) => environment?.DRIVE === 'memory:')

  test(`${name}: a file below /run/secrets is a secret of its service`, () => {
    for (const [service, { environment = {}, secrets = [] }] of services) {
      for (const [variable, value] of Object.entries(environment)) {
        const [, secret] = /^\/run\/secrets\/(.*)$/.exec(value) ?? []
        if (secret !== undefined) assert.ok(secrets.includes(secret), `${service}: ${variable}`)
        else if (!isForTests) assert.doesNotMatch(variable, /PASSWORD|SECRET|DATABASE_URL/, service)
      }
    }
  })

  test(`${name}: only a service with a health check is waited for`, () => {
    for (const { depends_on = {} } of Object.values(file.services)) {
      for (const [other, { condition }] of Object.entries(depends_on)) {
        assert.equal(condition, 'service_healthy')
        const { healthcheck, image = '' } = file.services[other] ?? {}
        // The Dockerfile has a HEALTHCHECK.
        assert.ok(healthcheck !== undefined || image.includes('/bucketry:'), other)
      }
    }
  })
}

/** The secrets of a compose file, as the commands of a page create them. */
function createdSecrets(t: TestContext, file: string, page: string, heading: string) {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-secrets-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const commands = codeBlockOf(page, heading, 'sh')
  execFileSync('bash', ['-ec', `docker() { echo "$@"; }\n${commands}`], { cwd: folder })
  const { secrets = {} } = parse(read(file)) as ComposeFile
  return Object.fromEntries(
    Object.entries(secrets).map(([name, { file: path }]) => [
      name,
      readFileSync(join(folder, path), 'utf8'),
    ]),
  )
}

test('the commands of docs/fleet.md create every secret of a fleet', (t) => {
  const texts = createdSecrets(t, 'compose.fleet.yaml', 'docs/fleet.md', 'Try it')
  const { identities } = JSON.parse(texts['store-config'] ?? '')
  const { environment } =
    (parse(read('compose.fleet.yaml')) as ComposeFile).services['gateway-1'] ?? assert.fail()
  assert.deepEqual(identities[0].credentials, [
    { accessKey: environment?.S3_DRIVE_ACCESS_KEY, secretKey: texts['store-key']?.trim() },
  ])
  assert.match(texts['store-key'] ?? '', /^[0-9a-f]{48}\n$/)
  assert.ok(texts['database-url']?.includes(`:${texts['postgres-password']?.trim()}@`))
})

test('the commands of docs/install.md create every secret of PostgreSQL', (t) => {
  const texts = createdSecrets(
    t,
    'compose.postgres.yaml',
    ...(['docs/install.md', 'Docker Compose with PostgreSQL'] as const),
  )
  const password = texts['postgres-password']?.trim() ?? ''
  assert.match(password, /^[0-9a-f]{48}$/)
  assert.match(texts['secret-key'] ?? '', /^[0-9a-f]{48}\n$/)
  const location = settingsTable.database.parse(texts['database-url'] ?? '')
  assert.deepEqual(location, {
    kind: 'postgres',
    url: `postgres://bucketry:${password}@postgres/bucketry`,
  })
})

test('the image sets only settings, and writes below its volume', () => {
  const dockerfile = read('Dockerfile')
  const [, block = ''] = /^ENV ((?:.*\\\n)*.*)$/m.exec(dockerfile) ?? []
  const variables = Array.from(block.matchAll(/([A-Z_]+)=(\S+)/g), ([, name = '', value]) => ({
    name,
    value,
  })).filter(({ name }) => name !== 'PATH')
  assert.ok(variables.length >= 4)
  for (const { name } of variables) assert.ok(isSetting(name), name)
  const values = new Map(variables.map(({ name, value }) => [name, value]))
  assert.match(dockerfile, new RegExp(`^VOLUME ${values.get('DATA_DIR')}$`, 'm'))
  assert.match(dockerfile, new RegExp(`^EXPOSE ${values.get('PORT')}$`, 'm'))
})

test('the image is built from every file that the build reads, and from no secret', () => {
  const ignored = read('.dockerignore').split('\n')
  assert.ok(ignored.includes('*'))
  const [, copied = ''] = /^COPY ([\w./ -]+) \.\/$/m.exec(read('Dockerfile')) ?? []
  for (const file of copied.split(' ')) assert.ok(ignored.includes(`!${file}`), file)
})

test('the files of systemd set only settings', () => {
  for (const path of globSync('deploy/systemd/*.{service,conf}', { cwd: root })) {
    for (const [, name = ''] of read(path).matchAll(/^Environment=([A-Z_]+)=/gm)) {
      assert.ok(isSetting(name), `${path}: ${name}`)
    }
  }
})

test('every file of systemd is in the page that says how to install it', () => {
  const pages = read('docs/install.md') + read('docs/backup.md')
  const paths = globSync('deploy/systemd/*', { cwd: root })
  assert.ok(paths.length >= 6)
  for (const path of paths) assert.ok(pages.includes(basename(path)), path)
})

test('the package has every file of systemd and of monitoring, as docs/install.md copies them', () => {
  const { files } = JSON.parse(read('package.json')) as { files: string[] }
  for (const folder of ['deploy/systemd', 'deploy/monitoring']) assert.ok(files.includes(folder))
})

test('the Node of the image is the major version that the package requires', () => {
  const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } }
  const [, major] = /^>=(\d+)/.exec(engines.node) ?? []
  assert.match(read('Dockerfile'), new RegExp(`^ARG NODE_IMAGE=node:${major}-`, 'm'))
})

test('scripts of the image are valid for Node', () => {
  for (const path of globSync('deploy/docker/*.cjs', { cwd: root })) {
    execFileSync(process.execPath, ['--check', join(root, path)])
  }
})

test('messages of the table of docs/nas.md are in the code', () => {
  const [, table = ''] = read('docs/nas.md').split('## If it does not start')
  const messages = Array.from(table.matchAll(/^\| (`[^|]*`) \|/gm), ([, cell = '']) => cell)
  assert.ok(messages.length >= 4)
  const code = globSync('src/**/*.ts', { cwd: root }).map(read).join('\n')
  for (const [, message = ''] of messages.join(' ').matchAll(/`([^`]*)`/g)) {
    assert.ok(code.includes(message), message)
  }
})
