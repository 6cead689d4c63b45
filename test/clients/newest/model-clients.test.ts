import { type TestContext, test } from 'node:test'
import { StrictUpstream, streamHead } from '../../fakes/strict-upstream.ts'
import { fieldsOf, modelsApiKey, startCalling } from '../../support/calling.ts'
import type { NewestClient } from './clients.ts'
import { absenceOfRegistry, installAlone } from './installers.ts'

const client = (
  registry: 'npm' | 'PyPI',
  scenario: string,
  ...packages: readonly [string, ...string[]]
): NewestClient => ({ name: packages[0], registry, scenario, packages })

/** The newest releases of clients that call models, at their defaults. They need the cached. */
const clients: readonly NewestClient[] = [
  client('npm', 'node/call-openai.mjs', 'openai'),
  client('npm', 'node/call-anthropic.mjs', '@anthropic-ai/sdk'),
  client('npm', 'node/call-ai.mjs', 'ai', '@ai-sdk/openai-compatible'),
  client('PyPI', 'python/call_openai.py', 'openai'),
  client('PyPI', 'python/call_anthropic.py', 'anthropic'),
  client('PyPI', 'python/call_langchain.py', 'langchain-openai'),
  client('PyPI', 'python/call_litellm.py', 'litellm'),
]

for (const each of clients) {
  const skip = absenceOfRegistry(each.registry)
  test(`${each.name} of ${each.registry} calls models`, { skip }, async (t) => {
    const { run } = await installAlone(t, each)
    await run({ ENDPOINT: await endpoint(t), MODELS_KEY: modelsApiKey })
  })
}

/** A gateway with an upstream of each API. */
async function endpoint(t: TestContext): Promise<string> {
  const { url, connect } = await startCalling(t)
  for (const flavour of ['openai', 'anthropic'] as const) {
    const upstream = await StrictUpstream.start(t, { flavour, models: ['big', 'stall'] })
    const { behave } = upstream
    upstream.behave = (call, response) => {
      if (call.model !== 'stall') return behave(call, response)
      response.writeHead(200, streamHead).write('data: {"choices":[{"delta":{"content":"x"}}]}\n\n')
    }
    const fields = fieldsOf(upstream)
    const enabledModels = ['big', 'stall']
    await connect(flavour, {
      ...fields,
      providerSpecificData: { ...fields.providerSpecificData, enabledModels },
    })
  }
  return url
}
