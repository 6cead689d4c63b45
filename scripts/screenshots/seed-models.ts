import { post, signIn } from './management.ts'

/** All models are in the catalogue or listed here, so that no request is sent to a provider. */
const connections = [
  {
    kind: 'openai-compatible',
    name: 'Workstation',
    apiKey: 'demo-00000000000000001d3b',
    providerSpecificData: {
      baseUrl: 'http://10.0.0.5:8000/v1',
      prefix: 'home',
      enabledModels: ['qwen3-30b', 'gemma-3-12b', 'phi-4'],
    },
  },
  { provider: 'mistral', name: 'Mistral', apiKey: 'demo-0000000000000000f2e9' },
  { provider: 'anthropic', name: 'Anthropic', apiKey: 'sk-demo-000000000000000077b0' },
  { provider: 'openai', name: 'OpenAI', apiKey: 'sk-demo-0000000000000000a41c' },
]

const combos = [
  { name: 'smart', models: ['anthropic/claude-opus-5', 'openai/gpt-5.6'] },
  { name: 'fast', models: ['home/qwen3-30b', 'mistral/mistral-small-latest'] },
]

const customModels = [{ providerAlias: 'openai', id: 'gpt-5-preview', name: 'GPT-5 preview' }]

const aliases = [
  { name: 'default', target: 'anthropic/claude-opus-5' },
  { name: 'cheap', target: 'mistral/mistral-small-latest' },
]

/** Stores the routing through the management API of the gateway at this URL. */
export async function seedModels(url: string): Promise<void> {
  const token = await signIn(url)
  const lists = {
    connections,
    combos,
    'custom-models': customModels,
    'model-aliases': aliases,
  }
  for (const [name, items] of Object.entries(lists)) {
    for (const item of items) await post(`${url}/-/api/routing/${name}`, item, token)
  }
}
