import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { modelsApiKey, startCalling } from '../../support/calling.ts'
import { freePort } from '../../support/free-port.ts'
import { absenceOfRegistry, installAlone, timeoutMs } from './installers.ts'

/** LiteLLM's proxy with answers of its own as upstream: openai's SDK gets the same through us as directly. */
const skip = absenceOfRegistry('PyPI')
const upstreamKey = 'sk-key-of-the-upstream'
const text = 'shört 🦥 '.repeat(200)
const toolCall = { name: 'weather', arguments: '{"city":"Zürich 🦥"}' }
const params = { model: 'openai/gpt-4o', api_key: 'none' }
const models = {
  big: { mock_response: text },
  tool: {
    mock_response: '',
    mock_tool_calls: [{ id: 'call_1', type: 'function', function: toolCall }],
  },
  vector: { mock_response: [0.5, -0.25] },
}

test('The SDK of OpenAI gets the same from LiteLLM through us as directly', { skip }, async (t) => {
  const scenario = 'python/call_upstream.py'
  const packages = ['litellm[proxy]'] as const
  const client = { name: 'litellm', registry: 'PyPI', packages, scenario } as const
  const { folder, environment, run } = await installAlone(t, client)
  const upstream = await startLiteLlm(t, folder, environment)
  const { url, connect } = await startCalling(t)
  await connect('lab', {
    ...{ kind: 'openai-compatible', apiKey: upstreamKey },
    providerSpecificData: { baseUrl: `${upstream}/v1`, enabledModels: Object.keys(models) },
  })
  const printed = await run({ ENDPOINT: upstream, MODELS_KEY: upstreamKey, PREFIX: '' })
  assert.equal(await run({ ENDPOINT: url, MODELS_KEY: modelsApiKey, PREFIX: 'lab/' }), printed)
  const directly = JSON.parse(printed)
  assert.equal(directly.answer, text)
  assert.equal(directly.stream, text)
  assert.deepEqual(directly.tool, toolCall)
  assert.deepEqual(directly.embedding, [models.vector.mock_response])
  assert.equal(directly['wrong request'], 400)
})

/** Returns its address. */
async function startLiteLlm(
  t: TestContext,
  folder: string,
  environment: Readonly<Record<string, string>>,
): Promise<string> {
  const model_list = Object.entries(models).map(([model_name, answer]) => ({
    model_name,
    litellm_params: { ...params, ...answer },
  }))
  const general_settings = { master_key: upstreamKey }
  // YAML has JSON in it.
  writeFileSync(join(folder, 'litellm.json'), JSON.stringify({ model_list, general_settings }))
  const port = await freePort()
  const options = ['--config', 'litellm.json', '--host', '127.0.0.1', '--port', String(port)]
  const child = spawn(join(folder, 'bin/litellm'), [...options, '--telemetry', 'False'], {
    cwd: folder,
    stdio: 'ignore',
    env: { ...environment, LITELLM_LOCAL_MODEL_COST_MAP: 'True' },
  })
  t.after(() => end(child))
  const address = `http://127.0.0.1:${port}`
  const isLive = () =>
    fetch(`${address}/health/liveliness`).then(
      ({ ok }) => ok,
      () => false,
    )
  // It imports for several seconds, a minute on busy cores.
  const deadlineMs = performance.now() + timeoutMs
  while (!(await isLive())) {
    assert.ok(isRunning(child) && performance.now() < deadlineMs, 'LiteLLM does not answer')
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  return address
}

const isRunning = ({ exitCode, signalCode }: ChildProcess) =>
  exitCode === null && signalCode === null

async function end(child: ChildProcess): Promise<void> {
  if (!isRunning(child)) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}
