import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Command, UsageError } from '../../../../src/app/cli/command.ts'
import { commands } from '../../../../src/app/cli/commands.ts'
import { parseCommandLine } from '../../../../src/app/cli/parse-command-line.ts'

const parse = (...args: string[]) => parseCommandLine(args, commands)

function mistakeOf(...args: string[]): string {
  try {
    parse(...args)
  } catch (error) {
    assert.ok(error instanceof UsageError)
    return error.message
  }
  return assert.fail(`${args.join(' ')} is accepted`)
}

test('Without a command, the folder is served', () => {
  assert.equal(parse().command.name, 'serve')
  const { command, folder } = parse('/srv/files')
  assert.deepEqual([command.name, folder], ['serve', '/srv/files'])
  assert.equal(parse('serve', '/srv/files').folder, '/srv/files')
  assert.equal(parse('verify', 'photos', '--folder', '/srv/files').folder, '/srv/files')
})

test('Flags are the settings of the same name', () => {
  const { settings, buckets } = parse(
    '--port=9001',
    ...['--secret-key-file', '/run/key', '--bucket', 'a', '--bucket', 'b'],
  )
  assert.deepEqual(settings, { PORT: '9001', SECRET_KEY_FILE: '/run/key' })
  assert.deepEqual(buckets, ['a', 'b'])
})

test('Commands have flags of their own', () => {
  const { command, operands, options, settings } = parse(
    ...['verify', 'photos', '--prefix', '2026/', '--json', '--region', 'x'],
  )
  assert.equal(command.name, 'verify')
  assert.deepEqual(operands, ['photos'])
  assert.deepEqual(options, { prefix: '2026/', json: true })
  assert.deepEqual(settings, { REGION: 'x' })
})

test('A wrong command line is refused with what to do', () => {
  assert.match(mistakeOf('--prot', '9001'), /^--prot is not an option\. Did you mean --port\?/)
  assert.match(mistakeOf('--colour'), /^--colour is not an option\.$/)
  assert.match(mistakeOf('--port'), /--port/)
  assert.match(mistakeOf('verify'), /argument is missing\nusage: bucketry verify BUCKET/)
  assert.match(mistakeOf('/a', '/b'), /what is "\/b"\?\nusage: bucketry serve \[FOLDER\]/)
  assert.match(mistakeOf('--json'), /^--json is not an option/)
  assert.match(mistakeOf('--bucket', 'a', '--allowed-buckets', 'b'), /use only one of them/)
  assert.match(mistakeOf('/a', '--folder', '/b'), /use only one of them/)
})

test('A command after options or with a typing error is not served as a folder', () => {
  assert.match(mistakeOf('--port', '1', 'check'), /^check is a command: write it before the opt/)
  assert.match(mistakeOf('chekc'), /^"chekc" is not a folder\. Did you mean the command check\?/)
  assert.equal(parse('--port', '1', './check').folder, './check')
  assert.equal(parse('serve', 'check').folder, 'check')
  assert.equal(parse('new-folder').folder, 'new-folder')
})

test('An empty folder or the address of a drive is not served as a folder', () => {
  assert.match(mistakeOf(''), /^FOLDER is empty/)
  assert.match(mistakeOf('backup', 'x', '--folder', ''), /^FOLDER is empty/)
  const message = mistakeOf('webdav+https://ann:secret@example.org/')
  assert.match(message, /give it with --drive/)
  assert.doesNotMatch(message, /secret/)
  assert.match(mistakeOf('check', 'gdrive:photos'), /give it with --drive/)
  assert.equal(parse('./gdrive:photos').folder, './gdrive:photos')
})

test('Help and version need no operands', () => {
  assert.equal(parse('verify', '--help').wantsHelp, true)
  assert.equal(parse('-h').wantsHelp, true)
  assert.equal(parse('--help', 'verify').wantsHelp, true)
  assert.equal(parse('-V').wantsVersion, true)
})

test('No command has a flag that is also a setting or common to all', () => {
  const names = (command: Command) => Object.keys(command.options ?? {})
  for (const command of commands) {
    for (const name of names(command)) {
      assert.ok(!['bucket', 'folder', 'help', 'version', 'port'].includes(name), name)
    }
  }
})

test("The word minio before a command is ignored, and MinIO's gateway is refused with what to do", () => {
  const { command, operands, options } = parse(
    'minio',
    'server',
    '--console-address',
    ':9001',
    '/data',
  )
  assert.deepEqual([command.name, operands], ['server', ['/data']])
  assert.equal(options['console-address'], ':9001')
  assert.equal(parse('minio').folder, 'minio')
  assert.throws(() => parse('gateway', 'nas', '/srv'), /bucketry serve FOLDER/)
})
