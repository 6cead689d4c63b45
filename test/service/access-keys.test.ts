/** Access keys in several processes and gateways: changes in force within a second, whatever stops. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it, type TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freshRequest } from '../support/fresh-request.ts'
import { type GatewayProcess, startGatewayProcess } from '../support/gateway-process.ts'
import { until } from '../support/management-client.ts'
import { runCommand } from '../support/run-command.ts'
import { type Credentials, signHeaders } from '../support/signed-request.ts'
import { startPostgres, type TestPostgres } from '../support/start-postgres.ts'

const run = promisify(execFile)
const aws = '/usr/bin/aws'
/** A change is in force everywhere after this time, however busy the machine is: an older copy is not used. */
const inForceMs = 1_000
/** What the clocks of two processes may differ by. */
const slackMs = 100

let postgres: TestPostgres | undefined

before(async () => {
  postgres = await startPostgres()
})
after(() => postgres?.stop())

interface World {
  readonly gateways: readonly GatewayProcess[]
  /** Runs `bucketry keys … --json` and returns what it printed. */
  keys(...args: readonly string[]): Promise<Record<string, unknown>[]>
  /** What a command prints. */
  print(...args: readonly string[]): Promise<string>
}

/** Two gateways on one drive and one database. */
async function start(t: TestContext, databaseUrl: string | undefined): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-keys-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const settings = {
    ...{ WORKERS: '2', ALLOWED_BUCKETS: 'photos,backup' },
    ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
  }
  const gateways: GatewayProcess[] = []
  for (let started = 0; started < 2; started += 1) {
    const gateway = await startGatewayProcess({ folder, settings })
    t.after(() => gateway.kill())
    gateways.push(gateway)
  }
  const { environment } = gateways[0] as GatewayProcess
  const print: World['print'] = async (...args) => {
    const { status, stdout, stderr } = await runCommand({ folder, environment }, ...args)
    assert.equal(status, 0, stderr)
    return stdout
  }
  return {
    gateways,
    print,
    async keys(...args) {
      const stdout = await print('keys', ...args, '--json')
      return stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
    },
  }
}

interface Made {
  readonly id: string
  readonly credentials: Credentials
}

async function make({ keys }: World, ...grants: readonly string[]): Promise<Made> {
  const flags = grants.flatMap((grant) => ['--grant', grant])
  const [made] = await keys('create', 'app', ...flags)
  const accessKey = String(made?.accessKeyId)
  const secretKey = String(made?.secretKey)
  return { id: accessKey, credentials: { accessKey, secretKey, region: 'us-east-1' } }
}

/** The status of a listing. Each request is a new connection: workers take turns. */
async function statusOf(
  { url, host }: GatewayProcess,
  credentials: Credentials,
  bucket = 'photos',
) {
  const headers = signHeaders({ method: 'GET', target: `/${bucket}`, host }, credentials)
  return (await freshRequest(`${url}/${bucket}`, { headers })).status
}

/** The statuses that all processes of all gateways give; several requests reach each worker. */
async function statusesOf(
  { gateways }: World,
  credentials: Credentials,
  bucket: string,
): Promise<Set<number>> {
  const requests = gateways.flatMap((gateway) => [gateway, gateway, gateway, gateway])
  return new Set(
    await Promise.all(requests.map((gateway) => statusOf(gateway, credentials, bucket))),
  )
}

/** Resolves when all processes give this status. */
async function untilAll(
  world: World,
  credentials: Credentials,
  status: number,
  bucket = 'photos',
): Promise<void> {
  await until(async () => {
    const statuses = await statusesOf(world, credentials, bucket)
    return statuses.size === 1 && statuses.has(status)
  })
}

/** All processes give this status to requests that are sent a second after a change. */
async function isInForce(world: World, credentials: Credentials, status: number): Promise<void> {
  await delay(inForceMs + slackMs)
  assert.deepEqual(await statusesOf(world, credentials, 'photos'), new Set([status]))
}

for (const kind of ['SQLite', 'PostgreSQL'] as const) {
  const skip = () =>
    kind === 'PostgreSQL' && postgres === undefined ? "needs Debian's postgresql" : false

  describe(`Access keys on ${kind}`, () => {
    const urlOf = async () => (kind === 'SQLite' ? undefined : await postgres?.createDatabase())

    it('a key is valid everywhere within a second, and refused within a second', async (t) => {
      if (skip() !== false) return t.skip(String(skip()))
      const world = await start(t, await urlOf())
      const { id, credentials } = await make(world, 'photos:list')
      await isInForce(world, credentials, 200)
      await world.keys('disable', id)
      await isInForce(world, credentials, 403)
      await world.keys('enable', 'app')
      await untilAll(world, credentials, 200)
      await world.keys('revoke', id)
      await isInForce(world, credentials, 403)
      assert.deepEqual(await world.keys('list'), [])
    })

    it('a gateway that was suspended does not accept what was revoked meanwhile', async (t) => {
      if (skip() !== false) return t.skip(String(skip()))
      const world = await start(t, await urlOf())
      const { id, credentials } = await make(world, 'photos:list')
      await untilAll(world, credentials, 200)
      const [gateway] = world.gateways
      assert.ok(gateway)
      process.kill(-gateway.pid, 'SIGSTOP')
      const [revoked] = await world.keys('revoke', id)
      assert.deepEqual(revoked, { revoked: id })
      // Sent while nothing reads them: they are the first that the processes see.
      const waiting = Array.from({ length: 8 }, () => statusOf(gateway, credentials))
      // Longer than a copy of the keys is used without asking the database.
      await delay(inForceMs + slackMs)
      process.kill(-gateway.pid, 'SIGCONT')
      assert.deepEqual(new Set(await Promise.all(waiting)), new Set([403]))
    })

    it('two apps with aws-cli do not see the bucket of the other', async (t) => {
      if (skip() !== false) return t.skip(String(skip()))
      if (!existsSync(aws)) return t.skip('needs awscli')
      const world = await start(t, await urlOf())
      const apps = [
        ['photos', 'backup', await make(world, 'photos:all')],
        ['backup', 'photos', await make(world, 'backup:all')],
      ] as const
      for (const [own, , { credentials }] of apps) await untilAll(world, credentials, 200, own)
      const [gateway] = world.gateways
      for (const [own, other, { credentials }] of apps) {
        const s3 = awsCli(gateway?.url ?? '', credentials)
        assert.match(await s3('s3', 'ls'), new RegExp(`^\\S+ \\S+ ${own}\\n$`))
        await s3('s3api', 'put-object', '--bucket', own, '--key', 'k', '--body', '/etc/hostname')
        assert.match(await s3('s3', 'ls', `s3://${own}`), / k\n$/)
        await assert.rejects(s3('s3', 'ls', `s3://${other}`), /AccessDenied/)
        await assert.rejects(s3('s3', 'cp', `s3://${other}/k`, '/dev/null'), /403|Forbidden/)
      }
    })
  })
}

it('The list of keys names an old secret that is still valid, also of a key that expires', async (t) => {
  const world = await start(t, undefined)
  const { id } = await make(world, 'photos:read')
  await world.keys('rotate', id, '--keep-old', '24h')
  assert.match(await world.print('keys', 'list'), / active, old secret until \d/)
  await world.keys('change', id, '--expires', '2100-01-01')
  assert.match(await world.print('keys', 'list'), / active until 2100-\S+ \S+, old secret until \d/)
})

it('Without its database, a gateway still has every object for ACCESS_KEY', async (t) => {
  const world = await start(t, undefined)
  const { credentials } = await make(world, 'photos:all')
  await untilAll(world, credentials, 200)
  const [gateway, other] = world.gateways
  assert.ok(gateway && other)
  const target = '/photos/object'
  const headers = signHeaders({ method: 'PUT', target, host: gateway.host }, credentials)
  const put = await fetch(gateway.url + target, { method: 'PUT', headers, body: 'bytes' })
  assert.equal(put.status, 200)
  await Promise.all([gateway.stop(), other.stop()])
  const folder = join(gateway.driveFolder, '..')
  const again = await startGatewayProcess({
    folder,
    settings: { ALLOWED_BUCKETS: 'photos', DATABASE_URL: `sqlite:${folder}/new.db` },
  })
  t.after(() => again.kill())
  assert.equal(await statusOf(again, credentials), 403)
  const own = signHeaders({ method: 'GET', target, host: again.host }, again.credentials)
  assert.equal((await freshRequest(again.url + target, { headers: own })).text, 'bytes')
})

it('grants for buckets that do not exist, and dates without a time, are reported', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-keys-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const grants = [{ bucket: 'photos', actions: ['list'] }]
  const key = { accessKeyId: 'DECLARED', secretKeyEnv: 'APP_SECRET', name: 'app', grants }
  const other = { ...key, accessKeyId: 'OTHER', grants: [{ bucket: 'nosuch', actions: ['list'] }] }
  const gateway = await startGatewayProcess({
    folder,
    settings: {
      ACCESS_KEYS: JSON.stringify([key, { ...other, expiresAt: '2099-01-31' }]),
      ...{ APP_SECRET: 'hush', ALLOWED_BUCKETS: 'photos,backup' },
    },
  })
  t.after(() => gateway.kill())
  // It accepts connections before this process has read all of its log.
  await until(() => /"accessKeyId":"OTHER","buckets":\["nosuch"\]/.test(gateway.logs()))
  await until(() => /key OTHER .* 2099-01-31T00:00:00Z/.test(gateway.logs()))
  assert.doesNotMatch(gateway.logs(), /"accessKeyId":"DECLARED"/)

  const { environment } = gateway
  const create = async (...flags: readonly string[]) => {
    const given = ['keys', 'create', 'app', '--grant', 'photos:read', ...flags]
    const { status, stdout } = await runCommand({ folder, environment }, ...given)
    assert.equal(status, 0)
    return stdout
  }
  const flags = ['--grant', 'nosuch/a/:read', '--grant', '*:list', '--expires', '2027-01-31']
  const text = await create(...flags)
  assert.match(text, /^Note: There is no bucket nosuch\./m)
  assert.match(text, /^Note: --expires 2027-01-31 .* from 2027-01-31T00:00:00Z\.$/m)
  assert.equal(JSON.parse(await create(...flags, '--json')).notes.length, 2)
  assert.doesNotMatch(await create('--expires', '2027-01-31T18:00:00Z'), /Note/)
})

it('Keys of ACCESS_KEYS are valid in all workers at the start, and revoked without it', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-keys-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const credentials = { accessKey: 'DECLARED', secretKey: 'hush', region: 'us-east-1' }
  const grants = [{ bucket: 'photos', actions: ['list'] }]
  const key = { accessKeyId: 'DECLARED', secretKeyEnv: 'APP_SECRET', name: 'app', grants }
  for (const [keys, status] of [
    [[key], 200],
    [[], 403],
  ] as const) {
    const gateway = await startGatewayProcess({
      folder,
      settings: { WORKERS: '2', ACCESS_KEYS: JSON.stringify(keys), APP_SECRET: 'hush' },
    })
    t.after(() => gateway.kill())
    for (let sent = 0; sent < 4; sent += 1)
      assert.equal(await statusOf(gateway, credentials), status)
    await gateway.stop()
  }
})

function awsCli(url: string, { accessKey, secretKey, region }: Credentials) {
  return async (...args: readonly string[]): Promise<string> => {
    const env = {
      ...{ PATH: process.env.PATH, HOME: '/nonexistent', AWS_DEFAULT_REGION: region },
      ...{ AWS_ACCESS_KEY_ID: accessKey, AWS_SECRET_ACCESS_KEY: secretKey },
    }
    return (await run(aws, ['--endpoint-url', url, ...args], { env })).stdout
  }
}
