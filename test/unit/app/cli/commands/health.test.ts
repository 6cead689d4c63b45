import assert from 'node:assert/strict'
import { test } from 'node:test'
import { portOfServer } from '../../../../../src/app/cli/commands/health.ts'

const command = (...args: readonly string[]) => args.map((one) => `${one}\0`).join('')
const node = ['/usr/local/bin/node', '--max-semi-space-size=16', '/usr/local/bin/bucketry']

/** The command line of process 1 → the port of the server. */
for (const [commandLine, port] of [
  [command(...node, 'server', '/data', '--address', ':9100'), '9100'],
  [command(...node, 'server', '/data', '--console-address', ':5560', '--address=:5561'), '5561'],
  [command(...node, 'serve', '--port', '9200'), '9200'],
  [command('sh', '-c', 'mkdir -p /data/a && minio server --address "[::]:9300" /data'), '9300'],
  [command(...node, 'server', '/data', '--console-address', ':9001'), undefined],
  [command(...node), undefined],
  [command('/lib/systemd/systemd', '--port', '80'), undefined],
  ['', undefined],
] as const) {
  test(`${commandLine.replaceAll('\0', ' ')}: port ${port}`, () => {
    assert.equal(portOfServer(commandLine), port)
  })
}
