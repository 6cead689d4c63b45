import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
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
  stop(): Promise<void>
}

const password = 'bench-password'
export const modelsKey = 'sk-bench-models-key'
const upstreamKey = 'sk-bench-upstream-key'
/** LiteLLM imports for several seconds. */
const startDeadlineMs = 120_000
const stopDeadlineMs = 3_000

export async function startUpstream(): Promise<ModelGateway> {
  const script = fileURLToPath(new URL('model-upstream.ts', import.meta.url))
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  return { name: 'direct', port: Number(line), pid: child.pid ?? 0, stop: () => end(child) }
}

export async function startBucketry(folder: string, upstream: ModelGateway): Promise<ModelGateway> {
  const environment = { DASHBOARD_PASSWORD: password, MODELS_API_KEY: modelsKey }
  const server = await startServer(bucketry, { folder, environment })
  const routing = await RoutingClient.signIn(`http://127.0.0.1:${server.port}`, password)
  await routing.done('POST', '/connections', {
    ...{ kind: 'openai-compatible', apiKey: upstreamKey },
    providerSpecificData: { ...addressOf(upstream), prefix: 'lab', enabledModels: ['big'] },
  })
  const { port, pid } = server
  const stop = async () => {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  return { name: 'bucketry', port, pid, stop }
}

/** LiteLLM's proxy, if LITELLM or PATH has it. @returns why not */
export async function startLiteLlm(
  folder: string,
  upstream: ModelGateway,
): Promise<ModelGateway | string> {
  const { LITELLM: program = 'litellm' } = process.env
  try {
    execFileSync('which', [program], { stdio: 'ignore' })
  } catch {
    return 'not measured: neither LITELLM nor PATH has it'
  }
  mkdirSync(folder, { recursive: true })
  const config = join(folder, 'litellm.json')
  const params = {
    model: 'openai/big',
    api_base: addressOf(upstream).baseUrl,
    api_key: upstreamKey,
  }
  // YAML has JSON in it.
  const model_list = [{ model_name: 'lab/big', litellm_params: params }]
  writeFileSync(config, JSON.stringify({ model_list, general_settings: { master_key: modelsKey } }))
  const port = await freePort()
  const log = openSync(join(folder, 'litellm.log'), 'a')
  const options = ['--config', config, '--host', '127.0.0.1', '--port', String(port)]
  const child = spawn(program, [...options, '--telemetry', 'False'], {
    stdio: ['ignore', log, log],
    env: { ...process.env, LITELLM_LOCAL_MODEL_COST_MAP: 'True', LITELLM_LOG: 'ERROR' },
  })
  const deadlineMs = performance.now() + startDeadlineMs
  while (!(await isLive(port))) {
    if (performance.now() > deadlineMs || child.exitCode !== null) {
      await end(child)
      return `did not start: see ${folder}/litellm.log`
    }
    await sleep(200)
  }
  return { name: 'litellm', port, pid: child.pid ?? 0, stop: () => end(child) }
}

function addressOf({ port }: ModelGateway) {
  return { baseUrl: `http://127.0.0.1:${port}/v1` }
}

async function isLive(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/health/liveliness`)).ok
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
