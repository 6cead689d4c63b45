import assert from 'node:assert/strict'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { diskFolder } from '../../support/disk-folder.ts'
import { freePort } from '../../support/free-port.ts'
import { MainProcess } from '../../support/main-process.ts'
import { execute, timeoutMs } from '../newest/installers.ts'
import type { Application, Container } from './applications.ts'

/** What the replay of an application needs of this machine. */
export interface ReplayTools {
  /** Runs the scenario; it finds the library itself. */
  readonly command: readonly [string, ...string[]]
  /** The folder in which the scenario is. */
  readonly folder: string
  /** The program `mc`. Undefined: only applications without its commands can be replayed. */
  readonly mc?: string
}

/** The policy that Mastodon's page on object storage asks for. */
const readPolicy = (bucket: string) => ({
  Version: '2012-10-17',
  Statement: [
    {
      ...{ Effect: 'Allow', Principal: { AWS: '*' }, Action: 's3:GetObject' },
      Resource: `arn:aws:s3:::${bucket}/*`,
    },
  ],
})

/** Copies the scenarios to where a library is, or will be. They also use the modules of the newest clients. */
export function copyScenarios(folder: string): void {
  for (const name of ['../newest', '.']) {
    cpSync(join(import.meta.dirname, name), folder, { recursive: true })
  }
}

/** A container of MinIO that was started with Bucketry in its place. */
interface Started {
  readonly url: string
  /** A folder for the home of clients. */
  readonly home: string
  /** Runs a program of the image in the container. Absent: there is no container, and health is checked from outside. */
  readonly runInside?: (program: string, ...args: readonly string[]) => Promise<unknown>
}

/** Starts the program as the image runs it, with the variables and the command of a container. */
export async function startAsImage(t: TestContext, container: Container): Promise<Started> {
  const folder = mkdtempSync(join(diskFolder, 'bucketry-application-'))
  const [home, data] = [join(folder, 'home'), join(folder, 'data')]
  for (const one of [home, data, ...(container.folders ?? []).map((name) => join(data, name))]) {
    mkdirSync(one)
  }
  const args: string[] = []
  for (const word of container.command) {
    args.push(word.replace('FOLDER', data).replace('PORT', String(await freePort())))
  }
  // What the Dockerfile sets, with a free port of the loopback.
  const image = {
    DATA_DIR: data,
    DRIVE: `file:${join(data, 'drive')}`,
    HOST: '127.0.0.1',
    PORT: '0',
  }
  const main = new MainProcess(folder, { ...image, ...container.environment }, { args })
  t.after(async () => {
    await main.kill()
    rmSync(folder, { recursive: true })
  })
  return { url: await main.url(), home }
}

/** Starts the container of an application, runs its health check and its init commands, and then what it does. */
export async function replay(
  t: TestContext,
  application: Application,
  tools: ReplayTools,
  start: (t: TestContext, container: Container) => Promise<Started> = startAsImage,
) {
  const { url, home, runInside } = await start(t, application)
  const keys = keysOf(application)
  const run = async (program: string, ...given: readonly string[]) => {
    const env = { ...awsVariables(keys), PATH: `${process.env.PATH}`, HOME: home, LANG: 'C.UTF-8' }
    return execute(program, given, { cwd: home, timeout: timeoutMs, env })
  }
  writeFileSync(join(home, 'read.json'), JSON.stringify(readPolicy(application.bucket)))
  await checkHealth(application, { run, url, keys, mc: tools.mc }, runInside)
  for (const line of application.init ?? []) {
    const [first = '', ...rest] = line.split(' ')
    if (first === 'aws') await run('/usr/bin/aws', '--endpoint-url', url, ...rest)
    else await runMc(tools.mc, { run, url, keys }, line.split(' '))
  }
  const [program, ...given] = tools.command
  await execute(program, given, {
    ...{ cwd: home, timeout: timeoutMs, maxBuffer: 1 << 26 },
    env: {
      ...{ PATH: `${process.env.PATH}`, HOME: home, LANG: 'C.UTF-8' },
      // The modules of the newest clients have these two, which no application needs.
      ...{ OTHER_ENDPOINT: '', EVENTS: '', PYTHONPATH: join(tools.folder, 'python') },
      ...{ ENDPOINT: url, ...keys, BUCKET: application.bucket },
      APPLICATION: application.name.toLowerCase().replaceAll(' ', '-'),
    },
  })
}

interface Running {
  readonly run: (program: string, ...args: readonly string[]) => Promise<unknown>
  readonly url: string
  readonly keys: { readonly ACCESS_KEY: string; readonly SECRET_KEY: string }
}

function keysOf({ environment }: Application): Running['keys'] {
  const { MINIO_ROOT_USER, MINIO_ACCESS_KEY, MINIO_ROOT_PASSWORD, MINIO_SECRET_KEY } = environment
  return {
    ACCESS_KEY: MINIO_ROOT_USER ?? MINIO_ACCESS_KEY ?? '',
    SECRET_KEY: MINIO_ROOT_PASSWORD ?? MINIO_SECRET_KEY ?? '',
  }
}

const awsVariables = ({ ACCESS_KEY, SECRET_KEY }: Running['keys']) => ({
  ...{ AWS_ACCESS_KEY_ID: ACCESS_KEY, AWS_SECRET_ACCESS_KEY: SECRET_KEY },
  ...{ AWS_DEFAULT_REGION: 'us-east-1', AWS_EC2_METADATA_DISABLED: 'true' },
})

/** `mc ready` asks what `curl` asks, so a push without `mc` does that. */
async function checkHealth(
  { health }: Application,
  { mc, ...running }: Running & { readonly mc: string | undefined },
  runInside: Started['runInside'],
) {
  const { run, url } = running
  const live = ['-f', '-s', `${url}/minio/health/live`]
  if (runInside !== undefined && health !== undefined) {
    await (health === 'curl' ? runInside('curl', ...live) : runInside('mc', 'ready', 'local'))
  } else if (health === 'mc ready' && mc !== undefined) {
    await runMc(mc, running, ['alias', 'set', 'local'])
    await runMc(mc, running, ['ready', 'local'])
  } else if (health !== undefined) {
    await run('curl', ...live)
  }
}

async function runMc(
  mc: string | undefined,
  { run, url, keys }: Running,
  words: readonly string[],
) {
  assert.ok(mc !== undefined, 'the application needs mc')
  const isAlias = words[0] === 'alias' || words[0] === 'config'
  await run(mc, ...words, ...(isAlias ? [url, keys.ACCESS_KEY, keys.SECRET_KEY] : []))
}
