import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'

const project = join(import.meta.dirname, '../..')
const run = promisify(execFile)

/** What `npm start` does before it starts, in a copy of the project. */
describe('build --when-needed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-build-'))
  const built = join(folder, 'web/dist')
  const server = join(folder, 'dist')

  before(() => {
    for (const name of [
      'scripts',
      'src',
      'web',
      'package.json',
      'package-lock.json',
      'tsconfig.json',
    ]) {
      const filter = (source: string) => source !== join(project, 'web/dist')
      cpSync(join(project, name), join(folder, name), { recursive: true, filter })
    }
  })
  after(() => rmSync(folder, { recursive: true }))

  async function buildWhenNeeded(name: 'server' | 'web'): Promise<string> {
    const args = [join(folder, 'scripts/build.ts'), name, '--when-needed']
    const { stdout } = await run(process.execPath, args, { cwd: folder })
    return stdout
  }

  const page = () => readFileSync(join(built, 'index.html'), 'utf8')

  /** That every asset which the page names is there. */
  function assertWhole(): void {
    const assets = readdirSync(join(built, 'assets'))
    const named = [...page().matchAll(/\/-\/assets\/([^"]+)"/g)].map(([, name]) => name ?? '')
    assert.ok(named.length > 0)
    for (const name of named) assert.ok(assets.includes(name), name)
  }

  test('reports missing packages; only the server cannot do without its build', async () => {
    assert.match(await buildWhenNeeded('web'), /not installed\. Run npm ci/)
    await assert.rejects(buildWhenNeeded('server'), /not installed\. Run npm ci/)
  })

  test('two at once both build, and leave one whole build', async () => {
    symlinkSync(join(project, 'node_modules'), join(folder, 'node_modules'))
    const said = await Promise.all([buildWhenNeeded('web'), buildWhenNeeded('web')])
    for (const text of said) assert.match(text, /Built the dashboard in/)
    assertWhole()
    // What is packed is no leftover.
    const hidden = readdirSync(built).filter((name) => name.startsWith('.'))
    assert.deepEqual(hidden, ['.npmignore'])
    assert.ok(readdirSync(join(built, 'assets')).some((name) => name.endsWith('.js.br')))
  })

  test('prints nothing and builds nothing when nothing has changed', async () => {
    assert.equal(await buildWhenNeeded('web'), '')
  })

  test('a failed build reports why and keeps the previous one', async () => {
    const before = page()
    appendFileSync(join(folder, 'web/src/main.tsx'), 'no program(')
    const said = await buildWhenNeeded('web')
    assert.match(said, /could not be built: Build failed .+npm run build/)
    assert.match(said, /The previous build is served\./)
    assert.equal(page(), before)
    assertWhole()
  })

  const servers = () => readdirSync(server).filter((name) => !name.includes('.'))

  /** Runs the newest build, as far as to its settings. */
  async function assertRuns(): Promise<void> {
    const env = { PATH: process.env.PATH, PORT: 'none' }
    const running = run(process.execPath, [join(server, 'main.cjs')], { cwd: folder, env })
    await assert.rejects(running, /The settings are not valid:\n {2}PORT/)
  }

  test('two builds of the server at once leave one', async () => {
    await Promise.all([buildWhenNeeded('server'), buildWhenNeeded('server')])
    assert.equal(servers().length, 1)
    await assertRuns()
  })

  test('a new build of the server leaves the previous one, which may be running', async () => {
    const [first = ''] = servers()
    appendFileSync(join(folder, 'src/main.ts'), '// second')
    await buildWhenNeeded('server')
    assert.equal(servers().length, 2)
    assert.ok(servers().includes(first))
    await assertRuns()

    const longAgo = Date.now() / 1_000 - 2 * 86_400
    utimesSync(join(server, first), longAgo, longAgo)
    appendFileSync(join(folder, 'src/main.ts'), '// third')
    await buildWhenNeeded('server')
    assert.equal(servers().length, 2)
    assert.ok(!servers().includes(first), 'a build that was replaced two days ago')
  })
})
