import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, openSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '../test/support/free-port.ts'
import { RoutingClient } from '../test/support/models-gateway.ts'
import { bucketry } from './server-kinds.ts'
import { startServer } from './servers.ts'

/** Something that answers calls of the model `lab/big`: a gateway in front of the upstream, or the upstream itself. */
export interface ModelGateway {
  readonly name: string
  readonly port: number
  readonly pid: number
  /** What a call needs besides its type. */
  readonly headers: Readonly<Record<string, string>>
  /** Whether it writes Anthropic's messages as chat completions. */
  readonly translates: boolean
  stop(): Promise<void>
}

interface GatewayKind {
  readonly name: string
  /** The variable that names its program, and the program's name on PATH. */
  readonly program: readonly [variable: string, name: string]
  readonly translates: boolean
  /** A path that answers once it serves. */
  readonly livePath: string
  /** Its files go to the folder. */
  readonly command: (program: string, options: GatewayOptions) => readonly string[]
  readonly environment?: (options: GatewayOptions) => Readonly<Record<string, string>>
  /** Enters the upstream. @returns what a call needs */
  readonly connect?: (options: GatewayOptions) => Promise<Readonly<Record<string, string>>>
}

interface GatewayOptions {
  readonly folder: string
  readonly port: number
  /** The base URL of the upstream. */
  readonly baseUrl: string
}

const password = 'bench-password'
const modelsKey = 'sk-bench-models-key'
const upstreamKey = 'sk-bench-upstream-key'
const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
/** LiteLLM imports for several seconds. */
const startDeadlineMs = 120_000
const stopDeadlineMs = 3_000

/** It passes on bytes and knows nothing of models: the floor of what is judged. */
const nginx: GatewayKind = {
  ...{ name: 'nginx', program: ['NGINX', 'nginx'], translates: false, livePath: '/' },
  command(program, { folder, port, baseUrl }) {
    const config = join(folder, 'nginx.conf')
    const scratch = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    // It closes connections after 1,000 requests by default.
    const many = 'keepalive_requests 1000000000;'
    writeFileSync(
      config,
      `daemon off; worker_processes 1; pid ${folder}/pid; error_log stderr; events {}
      http {
        ${scratch.map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')}
        access_log off; client_max_body_size 0; client_body_buffer_size 1m; ${many}
        upstream models { server ${new URL(baseUrl).host}; keepalive 64; ${many} }
        server {
          listen 127.0.0.1:${port};
          location / {
            proxy_pass http://models; proxy_http_version 1.1; proxy_set_header Connection '';
            proxy_buffering off;
          }
        }
      }`,
    )
    return [program, '-e', 'stderr', '-c', config]
  },
}

/** It keeps nothing: each call names its upstream. */
const portkey: GatewayKind = {
  ...{ name: 'portkey', program: ['PORTKEY', 'gateway'], translates: false, livePath: '/' },
  command: (program, { port }) => [
    ...[process.execPath, realpathSync(program), `--port=${port}`, '--headless'],
  ],
  connect: async ({ baseUrl }) => ({
    ...{ ...bearer(upstreamKey), 'x-portkey-provider': 'openai' },
    'x-portkey-custom-host': baseUrl,
  }),
}

const nineRouter: GatewayKind = {
  ...{ name: '9router', program: ['NINEROUTER', '9router'], translates: true },
  livePath: '/api/auth/status',
  // Its command line ends every process that has its name.
  command: (program) => [
    ...[process.execPath, join(dirname(realpathSync(program)), 'app/custom-server.js')],
  ],
  environment: ({ folder, port }) => ({
    ...{ DATA_DIR: folder, PORT: String(port), HOSTNAME: '127.0.0.1', INITIAL_PASSWORD: password },
  }),
  async connect({ port, baseUrl }) {
    let cookie = ''
    const post = async (path: string, body: object): Promise<Record<string, unknown>> => {
      const headers = { 'content-type': 'application/json', cookie }
      const request = { method: 'POST', headers, body: JSON.stringify(body) }
      const reply = await fetch(`http://127.0.0.1:${port}/api${path}`, request)
      if (!reply.ok) throw new Error(`9router ${path}: ${reply.status} ${await reply.text()}`)
      cookie ||= reply.headers.getSetCookie().join('; ')
      return (await reply.json()) as Record<string, unknown>
    }
    await post('/auth/login', { password })
    const node = { name: 'lab', prefix: 'lab', apiType: 'chat', type: 'openai-compatible', baseUrl }
    const { id: provider } = (await post('/provider-nodes', node)).node as { id: string }
    await post('/providers', { provider, apiKey: upstreamKey, name: 'lab', priority: 1 })
    return bearer(String((await post('/keys', { name: 'bench' })).key))
  },
}

const liteLlm: GatewayKind = {
  ...{ name: 'litellm', program: ['LITELLM', 'litellm'], translates: true },
  livePath: '/health/liveliness',
  command(program, { folder, port, baseUrl }) {
    const config = join(folder, 'litellm.json')
    // Of an upstream at `openai/` it would use the path of Responses for messages.
    const params = { model: 'hosted_vllm/big', api_base: baseUrl, api_key: upstreamKey }
    // YAML has JSON in it.
    const model_list = [{ model_name: 'lab/big', litellm_params: params }]
    const settings = { model_list, general_settings: { master_key: modelsKey } }
    writeFileSync(config, JSON.stringify(settings))
    const options = ['--config', config, '--host', '127.0.0.1', '--port', String(port)]
    return [program, ...options, '--telemetry', 'False']
  },
  environment: () => ({ LITELLM_LOCAL_MODEL_COST_MAP: 'True', LITELLM_LOG: 'ERROR' }),
}

/** The gateways to compare with. */
export const otherGateways: readonly GatewayKind[] = [nginx, portkey, nineRouter, liteLlm]

export async function startUpstream(): Promise<ModelGateway> {
  const script = fileURLToPath(new URL('model-upstream.ts', import.meta.url))
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  return gatewayOf('direct', Number(line), child)
}

function gatewayOf(name: string, port: number, child: ChildProcess): ModelGateway {
  const { pid = 0 } = child
  return { name, port, pid, headers: {}, translates: false, stop: () => end(child) }
}

export async function startBucketry(folder: string, upstream: ModelGateway): Promise<ModelGateway> {
  const environment = { DASHBOARD_PASSWORD: password, MODELS_API_KEY: modelsKey, WORKERS: '1' }
  const server = await startServer(bucketry, { folder, environment })
  const routing = await RoutingClient.signIn(`http://127.0.0.1:${server.port}`, password)
  await routing.done('POST', '/connections', {
    ...{ kind: 'openai-compatible', apiKey: upstreamKey },
    providerSpecificData: { baseUrl: baseUrlOf(upstream), prefix: 'lab', enabledModels: ['big'] },
  })
  const { port, pid } = server
  const stop = async () => {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  return { name: 'bucketry', port, pid, headers: bearer(modelsKey), translates: true, stop }
}

/** @returns why it is not measured, if it is not installed or does not start */
export async function startGateway(
  { name, program, translates, ...kind }: GatewayKind,
  folder: string,
  upstream: ModelGateway,
): Promise<ModelGateway | string> {
  const [variable, known] = program
  const found = pathOf(process.env[variable] ?? known)
  if (found === undefined) return `not measured: neither ${variable} nor PATH has it`
  mkdirSync(folder, { recursive: true })
  const options = { folder, port: await freePort(), baseUrl: baseUrlOf(upstream) }
  const [first = '', ...parameters] = kind.command(found, options)
  const log = openSync(join(folder, 'log'), 'a')
  const child = spawn(first, parameters, {
    stdio: ['ignore', log, log],
    env: { ...process.env, ...kind.environment?.(options) },
  })
  const deadlineMs = performance.now() + startDeadlineMs
  while (!(await isLive(options.port, kind.livePath))) {
    if (performance.now() > deadlineMs || child.exitCode !== null) {
      await end(child)
      return `did not start: see ${folder}/log`
    }
    await sleep(200)
  }
  const headers = (await kind.connect?.(options)) ?? bearer(modelsKey)
  return { ...gatewayOf(name, options.port, child), headers, translates }
}

function pathOf(program: string): string | undefined {
  try {
    return execFileSync('which', [program], { encoding: 'utf8' }).trim()
  } catch {
    return undefined
  }
}

function baseUrlOf({ port }: ModelGateway): string {
  return `http://127.0.0.1:${port}/v1`
}

/** Any answer counts: nginx passes on what the upstream says. */
async function isLive(port: number, path: string): Promise<boolean> {
  try {
    await (await fetch(`http://127.0.0.1:${port}${path}`)).arrayBuffer()
    return true
  } catch {
    return false
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  // LiteLLM waits for calls that nobody reads any more.
  const timer = setTimeout(() => child.kill('SIGKILL'), stopDeadlineMs)
  await ended
  clearTimeout(timer)
}
