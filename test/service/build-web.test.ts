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
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'

const project = join(import.meta.dirname, '../..')
const run = promisify(execFile)

/** What `npm start` does before it starts, in a copy of the project. */
describe('build-web --when-needed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-build-web-'))
  const built = join(folder, 'web/dist')

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

  async function buildWhenNeeded(): Promise<string> {
    const script = join(folder, 'scripts/build-web.ts')
    const { stdout } = await run(process.execPath, [script, '--when-needed'], { cwd: folder })
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

  test('reports missing packages with what to do, and does not fail', async () => {
    assert.match(await buildWhenNeeded(), /not installed\. Run npm ci/)
  })

  test('two at once both build, and leave one whole build', async () => {
    symlinkSync(join(project, 'node_modules'), join(folder, 'node_modules'))
    const said = await Promise.all([buildWhenNeeded(), buildWhenNeeded()])
    for (const text of said) assert.match(text, /Built the dashboard in/)
    assertWhole()
    assert.deepEqual(
      readdirSync(built).filter((name) => name.startsWith('.')),
      [],
    )
    assert.ok(readdirSync(join(built, 'assets')).some((name) => name.endsWith('.js.br')))
  })

  test('prints nothing and builds nothing when nothing has changed', async () => {
    assert.equal(await buildWhenNeeded(), '')
  })

  test('a failed build reports why and keeps the previous one', async () => {
    const before = page()
    appendFileSync(join(folder, 'web/src/main.tsx'), 'no program(')
    const said = await buildWhenNeeded()
    assert.match(said, /could not be built: Build failed .+npm run build:web/)
    assert.match(said, /The previous build is served\./)
    assert.equal(page(), before)
    assertWhole()
  })
})
