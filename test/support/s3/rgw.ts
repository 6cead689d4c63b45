import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '../free-port.ts'
import type { Scope } from '../webdav/server-process.ts'
import { lastFirst } from '../webdav/suite-scope.ts'
import { removeBuckets, type S3Store, type StoreLogin } from './s3-store.ts'
import { folderFor, startProcess, untilServing } from './server-program.ts'

const run = promisify(execFile)
/** Debian's packages. */
const programs = ['radosgw', 'ceph-mon', 'ceph-osd', 'ceph', 'monmaptool'] as const

/** Why Ceph's RGW can't be started here, or false: for the `skip` of a test. */
export const absenceOfRgw = () =>
  !programs.every((program) => existsSync(`/usr/bin/${program}`)) &&
  'needs Ceph (Debian: radosgw, ceph-mon, ceph-osd, ceph-common)'

/**
 * Starts Ceph's RGW, with a cluster of its own of one monitor and one store in memory, which ends with the
 * scope. It takes a quarter of a minute, most of which it waits.
 */
export async function startRgw(outer: Scope): Promise<S3Store> {
  const scope = lastFirst(outer)
  const folder = folderFor(scope, 'rgw')
  const configuration = await configure(folder)
  const at = (program: string) => [`/usr/bin/${program}`, '-c', configuration] as const
  const call = async (program: (typeof programs)[number] | 'radosgw-admin', ...args: string[]) => {
    const [path, ...place] = at(program)
    await run(path, [...place, ...args], { cwd: folder })
  }
  await call('ceph-mon', '--mkfs', '-i', 'a', '--monmap', join(folder, 'monmap'))
  startProcess(scope, folder, [...at('ceph-mon'), '-f', '-i', 'a'])
  const id = randomUUID()
  await call('ceph', 'osd', 'new', id)
  await call('ceph-osd', '-i', '0', '--mkfs', '--osd-uuid', id)
  startProcess(scope, folder, [...at('ceph-osd'), '-f', '-i', '0'])
  const [accessKey, secretKey] = ['rgw', 'rgw-secret']
  const user = ['--uid', 'tests', '--display-name', 'tests', '--max-buckets', '10000']
  const keys = ['--access-key', accessKey, '--secret-key', secretKey]
  await call('radosgw-admin', 'user', 'create', ...user, ...keys)
  const port = await freePort()
  const frontend = ['--rgw-frontends', `beast endpoint=127.0.0.1:${port} max_header_size=65536`]
  const gateway = startProcess(scope, folder, [
    ...at('radosgw'),
    '-f',
    '-n',
    'client.rgw',
    ...frontend,
  ])
  const login: StoreLogin = { url: `http://127.0.0.1:${port}`, accessKey, secretKey }
  await untilServing(login, gateway)
  return { ...login, reset: () => removeBuckets(login) }
}

/** Writes the configuration and the map of monitors. Resolves with the path of the configuration. */
async function configure(folder: string): Promise<string> {
  const id = randomUUID()
  const monitor = `[v2:127.0.0.1:${await freePort()}]`
  const path = join(folder, 'ceph.conf')
  for (const name of ['mon', 'osd']) mkdirSync(join(folder, name))
  writeFileSync(join(folder, 'keyring'), '')
  writeFileSync(path, configurationOf(folder, { fsid: id, 'mon host': monitor }))
  const map = ['--create', '--addv', 'a', monitor, '--fsid', id, join(folder, 'monmap')]
  await run('/usr/bin/monmaptool', ['-c', path, ...map])
  return path
}

/** docs.ceph.com, "Configuration Reference". */
function configurationOf(folder: string, cluster: Readonly<Record<string, string>>): string {
  const settings = {
    ...cluster,
    // Only this machine reaches it, and all of it ends with the test.
    'auth cluster required': 'none',
    'auth service required': 'none',
    'auth client required': 'none',
    // Without keys there is no secure connection to the monitor.
    'ms mon client mode': 'crc',
    'ms mon cluster mode': 'crc',
    'public addr': '127.0.0.1',
    'cluster addr': '127.0.0.1',
    keyring: `${folder}/keyring`,
    'run dir': folder,
    'admin socket': '',
    'log to file': 'false',
    'log to stderr': 'true',
    'mon data': `${folder}/mon`,
    'osd data': `${folder}/osd`,
    'osd objectstore': 'memstore',
    'memstore device bytes': String(8 * 1024 ** 3),
    'osd pool default size': '1',
    'osd pool default min size': '1',
    'osd pool default pg num': '8',
    'osd crush chooseleaf type': '0',
    'mon max pg per osd': '10000',
    'rgw override bucket index max shards': '1',
    // The cases of short parts run too.
    'rgw multipart min part size': '0',
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`)
  return `[global]\n${lines.join('')}`
}
