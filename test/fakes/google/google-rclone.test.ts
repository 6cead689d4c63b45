import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { sha256OfFile, testBytes } from '../../support/test-bytes.ts'
import { type GoogleEmulator, startGoogleEmulator } from './google-emulator.ts'
import { startTlsProxy, type TlsProxy } from './tls-proxy.ts'

/**
 * The emulator is honest as far as a client is content that was written against the real Drive:
 * rclone, which knows nothing of emulators, takes it for Google.
 */
const largeBytes = 300_000_000
const timeoutMs = 240_000

const oddNames = [
  "it's",
  'back\\slash',
  "both \\' of them",
  'a b/c d/e',
  'é ü 漢字/файл.txt',
  '😀/👨‍👩‍👧.bin',
  'UPPER/upper',
  'upper/UPPER',
  '.hidden/.file',
  'percent%20/plus+and&amp;',
  'quote"double',
  'semi;colon, comma',
  "' or trashed = true or name = '",
  'trailing dot.',
  'ünïcode'.normalize('NFD'),
  'deep/er/and/deep/er/and/deepest',
]

suite('Google emulator with rclone', { skip: absence() }, () => {
  let emulator: GoogleEmulator
  let proxy: TlsProxy
  let folder: string
  const rclone = (...args: string[]) => run({ emulator, proxy, folder }, args)

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'google-rclone-'))
    emulator = await startGoogleEmulator()
    proxy = await startTlsProxy(emulator.url, folder)
  })

  after(async () => {
    await proxy.close()
    await emulator.close()
    await rm(folder, { recursive: true, force: true })
  })

  test('copy uploads and downloads a tree of 200 unusual names, and check agrees', async () => {
    const source = await makeTree(join(folder, 'tree'))
    await rclone('copy', source, 'g:tree')
    await rclone('check', source, 'g:tree')
    const back = join(folder, 'back')
    await rclone('copy', 'g:tree', back)
    await rclone('check', source, back)
    const count = JSON.parse((await rclone('size', '--json', 'g:tree')).stdout)
    assert.equal(count.count, 200)
    const names = linesOf(await rclone('lsf', '-R', '--files-only', 'g:tree')).sort()
    assert.deepEqual(names, linesOf(await rclone('lsf', '-R', '--files-only', source)).sort())
  })

  test('copy transfers nothing the second time', async () => {
    emulator.counters.reset()
    await rclone('copy', join(folder, 'tree'), 'g:tree')
    assert.equal(emulator.counters.of(['multipart', 'init', 'create', 'update']), 0)
  })

  test('sync replaces changed files under their ids and deletes missing ones', async () => {
    const source = join(folder, 'tree')
    const before = await idOf("it's")
    await writeFile(join(source, "it's"), 'another text')
    await rm(join(source, 'back\\slash'))
    await rclone('sync', source, 'g:tree')
    await rclone('check', source, 'g:tree')
    assert.equal(await idOf("it's"), before)
  })

  test('moveto and copyto run on the server', async () => {
    emulator.counters.reset()
    await rclone('moveto', "g:tree/it's", "g:moved/where it's now")
    await rclone('copyto', "g:moved/where it's now", 'g:moved/copy')
    assert.equal((await rclone('cat', 'g:moved/copy')).stdout, 'another text')
    assert.equal(emulator.counters.of(['multipart', 'init']), 0)
    assert.deepEqual(linesOf(await rclone('lsf', 'g:moved')), ['copy', "where it's now"])
  })

  test('rcat uploads a stream of unknown length in a session', async () => {
    emulator.counters.reset()
    const bytes = testBytes('rcat', 9_000_001)
    await rclone('mkdir', 'g:streams')
    const input = { emulator, proxy, folder, input: bytes }
    await run(input, ['rcat', '--drive-chunk-size', '1M', 'g:streams/unknown'])
    assert.equal(emulator.counters.calls.chunk, 8)
    assert.equal(emulator.counters.calls.lastChunk, 1)
    const target = join(folder, 'unknown')
    await rclone('copyto', 'g:streams/unknown', target)
    assert.equal((await stat(target)).size, bytes.length)
    await writeFile(join(folder, 'sent'), bytes)
    assert.equal(await sha256OfFile(target), await sha256OfFile(join(folder, 'sent')))
  })

  test('rcat resumes the session after a lost connection', async () => {
    emulator.faults.next({ on: 'chunk', after: 2, do: 'persist-prefix-then-drop', bytes: 700_000 })
    emulator.faults.next({ on: 'chunk', after: 5, do: 'server-503' })
    emulator.faults.next({ on: 'lastChunk', do: 'drop-before' })
    const bytes = testBytes('lost', 9_000_001)
    const input = { emulator, proxy, folder, input: bytes }
    await run(input, ['rcat', '--drive-chunk-size', '1M', 'g:streams/lost'])
    assert.ok(emulator.faults.isSpent)
    assert.equal(contentOf('lost').size, bytes.length)
    await writeFile(join(folder, 'sent'), bytes)
    await rclone('copyto', 'g:streams/lost', join(folder, 'lost'))
    assert.equal(await sha256OfFile(join(folder, 'lost')), await sha256OfFile(join(folder, 'sent')))
  })

  test('rclone waits when it is rate-limited', async () => {
    emulator.faults.next({ on: 'list', do: 'rate-403-user' })
    emulator.faults.next({ on: 'list', do: 'server-503' })
    assert.deepEqual(linesOf(await rclone('lsf', 'g:moved')), ['copy', "where it's now"])
    assert.ok(emulator.faults.isSpent)
  })

  test('delete moves to the trash, and cleanup empties it', async () => {
    const id = await idOf('copy', 'moved')
    await rclone('deletefile', 'g:moved/copy')
    assert.equal(emulator.files.get(id)?.isTrashed, true)
    await rclone('cleanup', 'g:')
    assert.equal(emulator.files.get(id), undefined)
    assert.deepEqual(linesOf(await rclone('lsf', 'g:moved')), ["where it's now"])
    await rclone('deletefile', '--drive-use-trash=false', "g:moved/where it's now")
    assert.deepEqual(linesOf(await rclone('lsf', 'g:moved')), [])
    await rclone('purge', 'g:moved')
    await assert.rejects(rclone('lsf', 'g:moved'), /directory not found/)
  })

  test('dedupe lists duplicates and resolves them', async () => {
    const duplicates = emulator.byHand.folder('duplicates')
    await emulator.byHand.file('same', 'one', { parent: duplicates })
    await emulator.byHand.file('same', 'two', { parent: duplicates })
    const listed = await rclone('dedupe', '--dedupe-mode', 'list', 'g:duplicates')
    assert.match(listed.stderr + listed.stdout, /same: 2 duplicates/)
    await rclone('dedupe', '--dedupe-mode', 'newest', 'g:duplicates')
    assert.deepEqual(linesOf(await rclone('lsf', 'g:duplicates')), ['same'])
  })

  test('about returns the quota', async () => {
    emulator.knobs.limitBytes = 10_000_000_000
    const about = JSON.parse((await rclone('about', '--json', 'g:')).stdout)
    assert.equal(about.total, 10_000_000_000)
    assert.ok(about.used > 9_000_000)
  })

  test('copy uploads and downloads 300 MB in constant memory', async () => {
    const source = join(folder, 'large')
    await mkdir(source)
    for (let at = 0; at < largeBytes; at += 10_000_000) {
      await writeFile(join(source, 'large.bin'), testBytes(`large ${at}`, 10_000_000), {
        flag: 'a',
      })
    }
    const before = process.memoryUsage.rss()
    await rclone('copy', '--drive-chunk-size', '8M', source, 'g:large')
    await rclone('check', source, 'g:large')
    await rclone('check', '--download', source, 'g:large')
    const grown = process.memoryUsage.rss() - before
    assert.ok(grown < 200_000_000, `memory grew by ${grown} bytes`)
  })

  test('no call of rclone was rejected as unsupported', () => {
    assert.deepEqual(emulator.counters.refusals, {})
    assert.deepEqual(proxy.refused, [])
  })

  async function idOf(name: string, folderName = 'tree'): Promise<string> {
    const listed = await rclone('lsjson', '--original', `g:${folderName}`)
    const entries: { Name: string; ID: string }[] = JSON.parse(listed.stdout)
    return entries.find((entry) => entry.Name === name)?.ID ?? `no ${name}`
  }

  function contentOf(name: string): { readonly size: number } {
    const found = [...emulator.files.records().values()].find((record) => record.name === name)
    return found?.content ?? { size: -1 }
  }
})

interface RcloneRun {
  readonly emulator: GoogleEmulator
  readonly proxy: TlsProxy
  readonly folder: string
  /** Standard input. */
  readonly input?: Uint8Array
}

interface Output {
  readonly stdout: string
  readonly stderr: string
}

function run({ emulator, proxy, folder, input }: RcloneRun, args: string[]): Promise<Output> {
  const { clientId, clientSecret, refreshToken } = emulator.credentials
  const token = { access_token: '', token_type: 'Bearer', refresh_token: refreshToken }
  const expiry = '2020-01-01T00:00:00Z'
  const env = {
    PATH: '/usr/bin:/bin',
    HOME: folder,
    LANG: 'C.UTF-8',
    HTTPS_PROXY: proxy.url,
    RCLONE_CONFIG: join(folder, 'rclone.conf'),
    RCLONE_CONFIG_G_TYPE: 'drive',
    RCLONE_CONFIG_G_CLIENT_ID: clientId,
    RCLONE_CONFIG_G_CLIENT_SECRET: clientSecret,
    RCLONE_CONFIG_G_SCOPE: 'drive',
    RCLONE_CONFIG_G_TOKEN: JSON.stringify({ ...token, expiry }),
    // rclone holds itself back for the real Drive.
    RCLONE_DRIVE_PACER_MIN_SLEEP: '1ms',
    RCLONE_DRIVE_PACER_BURST: '1000',
    RCLONE_CA_CERT: proxy.caFile,
  }
  const options = { cwd: folder, env, timeout: timeoutMs, maxBuffer: 64 * 1024 * 1024 }
  return new Promise((resolve, reject) => {
    const child = execFile('rclone', args, options, (error, stdout, stderr) => {
      if (error === null) resolve({ stdout, stderr })
      else reject(new Error(`${error.message}\n${stdout}\n${stderr}`, { cause: error }))
    })
    child.stdin?.end(input)
  })
}

function linesOf({ stdout }: Output): string[] {
  return stdout.split('\n').filter((line) => line !== '')
}

/** 200 files: the odd names, empty ones, and others of many sizes in nested folders. */
async function makeTree(folder: string): Promise<string> {
  const plain = Array.from({ length: 200 - oddNames.length }, (_, at) => {
    return `folder ${at % 7}/${'nested/'.repeat(at % 4)}file ${at}`
  })
  for (const [at, name] of [...oddNames, ...plain].entries()) {
    const path = join(folder, name)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, testBytes(name, at % 10 === 0 ? 0 : at * 777))
  }
  return folder
}

function absence(): string | false {
  try {
    execFileSync('which', ['rclone'], { stdio: 'ignore' })
    return false
  } catch {
    return 'rclone is not installed (.ci/run installs it)'
  }
}
