import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { after, before, describe, type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { freePort } from '../support/free-port.ts'
import { signHeaders } from '../support/signed-request.ts'
import { testBytes } from '../support/test-bytes.ts'

const run = promisify(execFile)
const project = join(import.meta.dirname, '../..')
const packedLimitBytes = 4_000_000

/** The package as a user has it: packed, and installed where the repository is not. */
describe('the installed package', () => {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-package-'))
  const home = join(folder, 'home')
  const app = join(folder, 'app')
  const bin = join(app, 'node_modules/.bin/bucketry')
  const environment = {
    HOME: home,
    // The Node of the project, and no other program of it.
    PATH: [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter),
    ...networkOf(process.env),
  }
  let packed = ''

  before(async () => {
    for (const path of [home, app]) mkdirSync(path)
    const pack = await run('npm', ['pack', '--json', '--pack-destination', folder], {
      cwd: project,
    })
    const [{ filename }] = JSON.parse(pack.stdout.slice(pack.stdout.indexOf('['))) as [
      { filename: string },
    ]
    packed = join(folder, filename)
    writeFileSync(join(app, 'package.json'), '{"private":true}')
    const install = ['install', '--no-audit', '--no-fund', '--ignore-scripts', packed]
    await run('npm', install, { cwd: app, env: environment })
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  const bucketry = (...args: string[]) => run(bin, args, { cwd: app, env: environment })

  async function failing(...args: string[]) {
    const error = await bucketry(...args).then(
      () => assert.fail(`${args.join(' ')} succeeds`),
      (error: { readonly code: number; readonly stderr: string }) => error,
    )
    return { status: error.code, text: error.stderr }
  }

  /** Serves until the test ends. */
  async function serve(t: TestContext, ...args: string[]) {
    const port = await freePort()
    const child = spawn(bin, [...args, '--port', String(port)], { cwd: app, env: environment })
    t.after(() => end(child))
    const url = `http://127.0.0.1:${port}`
    const banner = await textUntil(child, 'rclone ls')
    return { url, banner, child }
  }

  test('is smaller than 4 MB and has only what it needs', () => {
    assert.ok(statSync(packed).size < packedLimitBytes, `${statSync(packed).size} bytes`)
    const installed = join(app, 'node_modules/bucketry')
    assert.deepEqual(readdirSync(installed).sort(), [
      ...['CHANGELOG.md', 'LICENSE', 'README.md', 'deploy', 'dist', 'package.json', 'src', 'web'],
    ])
    // One build: main.cjs, testing.cjs, their types, and the folder they load.
    assert.equal(readdirSync(join(installed, 'dist')).length, 4)
    const licenses = join(installed, 'dist', buildOf(installed), 'licenses.md')
    assert.match(readFileSync(licenses, 'utf8'), /^## mime \d.* \(MIT\)\n\n[^#]*Copyright/m)
    const scripts = readdirSync(join(app, 'node_modules')).filter((name) => name === 'node')
    assert.deepEqual(scripts, [])
  })

  test('prints version and help', async () => {
    const { version } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as {
      version: string
    }
    const printed = (await bucketry('version')).stdout
    assert.equal(printed.split(' ').slice(0, 2).join(' '), `bucketry ${version}`)
    assert.equal((await bucketry('--version')).stdout, printed)
    assert.match((await bucketry('--help')).stdout, /usage: bucketry \[FOLDER\]/)
    assert.match((await bucketry('verify', '--help')).stdout, /usage: bucketry verify BUCKET/)
    assert.match((await bucketry('completion', 'fish')).stdout, /complete -c bucketry/)
  })

  test('exits with 2 for a wrong command line and with 1 for wrong settings', async () => {
    assert.deepEqual((await failing('--prot', '1')).status, 2)
    const { status, text } = await failing('--port', 'many', '--data-dir', join(folder, 'unused'))
    assert.equal(status, 1)
    assert.match(text, /PORT is "many": expected a whole number/)
  })

  test('has source maps that name the files of the repository', async () => {
    const code = `require('bucketry').startBucketry({ buckets: ['No'] }).catch(({ stack }) => console.log(stack))`
    const options = { cwd: app, env: environment }
    const { stdout } = await run(process.execPath, ['--enable-source-maps', '-e', code], options)
    assert.match(stdout, /\/node_modules\/bucketry\/src\/app\/settings\/read-settings\.ts:\d+/)
  })

  test('tells in one sentence that Node is too old', async () => {
    const pretend = join(folder, 'old-node.cjs')
    writeFileSync(
      pretend,
      `Object.defineProperty(process.versions, 'node', { value: '20.1.0' })
       Object.defineProperty(process, 'version', { value: 'v20.1.0' })`,
    )
    const error = await run(process.execPath, ['--require', pretend, bin], {
      env: environment,
    }).then(
      () => assert.fail('it starts'),
      (error: { readonly code: number; readonly stderr: string }) => error,
    )
    assert.equal(error.code, 1)
    assert.match(error.stderr, /^Bucketry needs Node\.js 24 or newer, and this is v20\.1\.0\..*\n$/)
  })

  test('serves the folders of a folder as buckets, and keeps its data out of it', async (t) => {
    const files = join(folder, 'files')
    for (const name of ['photos', 'My Photos']) mkdirSync(join(files, name), { recursive: true })
    writeFileSync(join(files, 'photos/sea.txt'), 'waves')
    assert.match(
      (await failing(`${files}x`)).text,
      /filesx does not exist\. To create it, add --create/,
    )
    const unstarted = await failing('check', files)
    assert.equal(unstarted.status, 1)
    assert.match(unstarted.text, /no gateway has been started with these settings/)
    const checked = await bucketry('check', '--create', files)
    assert.match(checked.stdout, /settings: valid; buckets photos\n/)
    assert.match(
      checked.stdout,
      /warning: folders whose names are not legal .* not served: "My Photos"/,
    )
    assert.deepEqual(readdirSync(files).sort(), ['My Photos', 'photos'])
    const { url, banner } = await serve(t, files, '--public-read-buckets', 'photos')
    assert.match(banner, /buckets {4}photos\n/)
    assert.equal(await (await fetch(`${url}/photos/sea.txt`)).text(), 'waves')
    assert.equal((await fetch(`${url}/-/`)).status, 200)
    assert.match(await (await fetch(`${url}/v1/models`)).text(), /"object":"list"/)
    const [data = ''] = readdirSync(join(home, '.local/share/bucketry'))
    assert.match(data, /^files-[0-9a-f]{8}$/)
    assert.equal(existsSync(join(app, 'data')), false)
    const report = await bucketry('verify', 'photos', '--folder', files, '--json')
    assert.match(report.stdout, /"kind":"summary","bucket":"photos"/)
    assert.deepEqual((await bucketry('check', files)).stdout.match(/responds/g)?.length, 2)
  })

  test('serves aws-cli', {
    skip: existsSync('/usr/bin/aws') ? false : 'needs awscli',
  }, async (t) => {
    const files = join(folder, 'for-aws')
    mkdirSync(join(files, 'docs'), { recursive: true })
    const { url } = await serve(t, files)
    const { accessKey, secretKey, region } = settingsIn(home, 'for-aws')
    const env = {
      ...environment,
      ...{ AWS_ACCESS_KEY_ID: accessKey, AWS_SECRET_ACCESS_KEY: secretKey },
      AWS_DEFAULT_REGION: region,
    }
    const aws = (...args: string[]) =>
      run('/usr/bin/aws', ['--endpoint-url', url, ...args], { env })
    // Above the threshold of multipart uploads.
    const bytes = testBytes('aws-cli', 20_000_000)
    const source = join(folder, 'large.bin')
    writeFileSync(source, bytes)
    await aws('s3', 'cp', '--no-progress', source, 's3://docs/a b/large.bin')
    assert.ok(readFileSync(join(files, 'docs/a b/large.bin')).equals(bytes))
    await aws('s3', 'cp', '--no-progress', 's3://docs/a b/large.bin', `${source}.copy`)
    assert.ok(readFileSync(`${source}.copy`).equals(bytes))
    assert.match(
      (await aws('s3', 'ls', 's3://docs/', '--recursive')).stdout,
      /20000000 a b\/large\.bin/,
    )
  })

  test('makes a backup while it runs, which is restored elsewhere', async (t) => {
    const files = join(folder, 'original')
    mkdirSync(join(files, 'docs'), { recursive: true })
    const { url, child } = await serve(t, files)
    const keys = settingsIn(home, 'original')
    const metadata = { 'content-type': 'text/x-test', 'x-amz-meta-note': 'kept' }
    await sign(url, keys, { method: 'PUT', path: '/docs/a.txt', body: 'one', headers: metadata })
    const backup = join(folder, 'state.gz')
    await bucketry('backup', backup, '--folder', files)
    await end(child)

    const copy = join(folder, 'copy')
    cpSync(files, copy, { recursive: true, preserveTimestamps: true })
    const said = await bucketry('restore', backup, '--folder', copy)
    assert.match(said.stderr, /rows restored into sqlite:.* Settings restored to /)
    assert.match((await failing('restore', backup, '--folder', copy)).text, /is not empty/)
    const elsewhere = await serve(t, copy)
    const read = await sign(elsewhere.url, keys, { method: 'GET', path: '/docs/a.txt' })
    assert.equal(await read.text(), 'one')
    assert.equal(read.headers.get('content-type'), 'text/x-test')
    assert.equal(read.headers.get('x-amz-meta-note'), 'kept')
    assert.equal(read.headers.get('etag'), '"f97c5d29941bfb1b2fdab0874906ab82"')
    const verified = await bucketry('verify', 'docs', '--folder', copy, '--json')
    assert.match(verified.stdout, /"verified":1/)
  })

  for (const [kind, file, code] of [
    ['an ES module', 'test.mjs', `import { startBucketry } from 'bucketry'`],
    ['CommonJS', 'test.cjs', `const { startBucketry } = require('bucketry')`],
  ] as const) {
    test(`starts a server inside a test written as ${kind}`, async () => {
      writeFileSync(
        join(app, file),
        `${code}
        async function main() {
          const startedAt = performance.now()
          const server = await startBucketry({ buckets: ['photos'], publicReadBuckets: ['photos'] })
          const ms = performance.now() - startedAt
          const { status } = await fetch(server.url + '/photos')
          await server.reset()
          await server.stop()
          console.log(JSON.stringify({ ms, status }))
        }
        main()`,
      )
      const { stdout } = await run(process.execPath, [file], { cwd: app, env: environment })
      assert.equal((JSON.parse(stdout) as { status: number }).status, 200)
    })
  }

  describe('the examples of docs/testing.md', () => {
    before(async () => {
      // While a new version of several packages is published, one of them may be missing.
      const before = new Date(Date.now() - 7 * 24 * 3_600_000).toISOString()
      const packages = ['--before', before, '@aws-sdk/client-s3', 'vitest']
      const install = ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...packages]
      await run('npm', install, { cwd: app, env: environment })
      for (const [name, code] of examplesIn('docs/testing.md')) writeFileSync(join(app, name), code)
    })

    for (const [name, program, ...args] of [
      ['node-test.test.mjs', process.execPath, '--test', 'node-test.test.mjs'],
      ['vitest.test.mjs', 'node_modules/.bin/vitest', 'run', 'vitest.test.mjs'],
    ] as const) {
      test(`${name} passes`, async () => {
        const command = program.startsWith('/') ? program : join(app, program)
        await run(command, args, { cwd: app, env: environment }).catch(
          ({ stdout, stderr }: { stdout: string; stderr: string }) => assert.fail(stdout + stderr),
        )
      })
    }
  })

  test('has types for TypeScript', async () => {
    const code = `import { type BucketryServer, startBucketry } from 'bucketry'
      const server: BucketryServer = await startBucketry({ buckets: ['photos'] })
      const url: string = server.url
      await server.reset()
      // @ts-expect-error
      await startBucketry({ bucket: 'photos' })
      export { url }\n`
    writeFileSync(join(app, 'types.mts'), code)
    const options = [
      '--noEmit',
      '--strict',
      '--module',
      'nodenext',
      '--target',
      'esnext',
      '--types',
      '',
    ]
    const compiler = join(project, 'node_modules/typescript/bin/tsc')
    await run(process.execPath, [compiler, ...options, 'types.mts'], { cwd: app }).catch(
      ({ stdout }: { stdout: string }) => assert.fail(stdout),
    )
  })
})

/** The name of the build that the package has. */
function buildOf(installed: string): string {
  return readdirSync(join(installed, 'dist')).find((name) => !name.includes('.')) ?? ''
}

/** Code blocks that begin with the name of their file. */
function examplesIn(path: string): [name: string, code: string][] {
  const text = readFileSync(join(project, path), 'utf8')
  return [...text.matchAll(/^```js\n\/\/ (\S+)\n([\s\S]*?)^```/gm)].map(
    ([, name = '', code = '']) => [name, code],
  )
}

/** npm's registry may be set by variables. */
function networkOf(environment: NodeJS.ProcessEnv): Record<string, string | undefined> {
  const names = Object.keys(environment).filter((name) =>
    /^(?:https?_proxy|no_proxy|npm_config_.*|node_extra_ca_certs|ssl_cert_file)$/i.test(name),
  )
  return Object.fromEntries(names.map((name) => [name, environment[name]]))
}

/** Resolves with what a program wrote to standard error once that contains `wanted`. */
async function textUntil(child: ChildProcess, wanted: string): Promise<string> {
  let text = ''
  child.stdout?.resume()
  child.stderr?.setEncoding('utf8')
  for await (const piece of child.stderr ?? []) {
    text += piece
    if (text.includes(wanted)) {
      child.stderr?.resume()
      return text
    }
  }
  return assert.fail(text)
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const closed = once(child, 'exit')
  child.kill('SIGTERM')
  await closed
}

interface Keys {
  readonly accessKey: string
  readonly secretKey: string
  readonly region: string
}

/** The generated keys for a folder of this name. */
function settingsIn(home: string, name: string): Keys {
  const base = join(home, '.local/share/bucketry')
  const folder = readdirSync(base).find((one) => one.startsWith(`${name}-`)) ?? ''
  const text = readFileSync(join(base, folder, 'bucketry.env'), 'utf8')
  const value = (setting: string) => new RegExp(`^${setting}=(.*)$`, 'm').exec(text)?.[1] ?? ''
  return { accessKey: value('ACCESS_KEY'), secretKey: value('SECRET_KEY'), region: 'us-east-1' }
}

interface SignedRequest {
  readonly method: string
  readonly path: string
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
}

async function sign(url: string, keys: Keys, { method, path, body, headers }: SignedRequest) {
  const { host } = new URL(url)
  const signed = signHeaders({ method, target: path, host, ...(headers && { headers }) }, keys)
  const reply = await fetch(`${url}${path}`, { method, headers: signed, ...(body && { body }) })
  assert.equal(reply.status, 200)
  return reply
}
