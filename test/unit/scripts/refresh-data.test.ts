import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { dataFileSchema } from '../../../scripts/merge-models.ts'
import { refreshData } from '../../../scripts/refresh-data.ts'
import { dataFolder, readDataFiles } from '../../../src/models/catalogue/catalogue.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'refresh-'))
  await write('data/order.json', '["acme", "hand"]')
  await write('data/acme.json', JSON.stringify(acme))
  await write('data/hand.json', '{"id":"hand","serviceKinds":["llm"],"models":[{"id":"own"}]}')
})
afterEach(() => rm(folder, { recursive: true }))

const acme = {
  id: 'acme',
  alias: 'ac',
  modelsDevId: 'acme-ai',
  serviceKinds: ['llm', 'embedding', 'tts', 'stt', 'image'],
  models: [
    { id: 'Chat-2' },
    { id: 'chat-1' },
    { id: 'chat-0' },
    { id: 'old-embed', type: 'embedding' },
    { id: 'whisper', type: 'stt' },
    { id: 'speaker', type: 'tts' },
  ],
  ttsConfig: { baseUrl: 'https://acme.example/tts', models: [{ id: 'speaker' }] },
  embeddingConfig: { models: [{ id: 'old-embed' }] },
}

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true })
  await writeFile(join(folder, path), text)
}

interface ModelFacts {
  readonly input?: string
  readonly output?: string
  readonly more?: string
}

/** A model as models.dev writes it. */
const model = (id: string, { input = '"text"', output = '"text"', more = '' }: ModelFacts = {}) => {
  const toml = `name = "x"\n${more}\n[modalities]\ninput = [${input}]\noutput = [${output}]\n`
  return write(`checkout/providers/acme-ai/models/${id}.toml`, toml)
}

function refresh(isPruning = false, isFactsOnly = false): Promise<readonly string[]> {
  return refreshData({
    checkout: join(folder, 'checkout'),
    dataFolder: join(folder, 'data'),
    ...{ isPruning, isFactsOnly },
    format: (text) => text,
  })
}

/** The new file, without the facts of its models. */
async function refreshed(): Promise<typeof acme> {
  const text = await readFile(join(folder, 'data', 'acme.json'), 'utf8')
  return JSON.parse(text, (name, value) => (name === 'facts' ? undefined : value))
}

describe('refreshData', () => {
  test('adds new models, newest first, and keeps everything else', async () => {
    await model('chat-2')
    await model('chat-1')
    await model('chat-3', { more: 'release_date = "2026-01"' })
    await model('vendor/chat-4', { more: 'release_date = 2026-05-01' })
    assert.deepEqual(await refresh(), [
      'acme: added vendor/chat-4, chat-3',
      'acme: kept, unknown to models.dev: chat-0, old-embed, whisper, speaker',
    ])
    const models = [{ id: 'vendor/chat-4' }, { id: 'chat-3' }, ...acme.models]
    assert.deepEqual(await refreshed(), { ...acme, models })
    assert.deepEqual(Object.keys(await refreshed()), Object.keys(acme))
  })

  const kinds: readonly [string, ModelFacts, object | undefined][] = [
    ['chat', {}, { id: 'chat' }],
    ['audio-chat', { input: '"text", "audio"', output: '"text", "audio"' }, { id: 'audio-chat' }],
    ['embed', {}, { id: 'embed', type: 'embedding' }],
    ['painter', { output: '"image"' }, { id: 'painter', type: 'image' }],
    ['flash-image', { output: '"text", "image"' }, { id: 'flash-image', type: 'image' }],
    ['reader', { output: '"audio"' }, { id: 'reader', type: 'tts' }],
    ['hearer', { input: '"audio"' }, { id: 'hearer', type: 'stt' }],
    ['scanner', { input: '"pdf", "image"' }, undefined],
    ['film', { output: '"video"' }, undefined],
    ['omni-moderation', {}, undefined],
    ['rerank-3', {}, undefined],
  ]
  for (const [id, facts, entry] of kinds) {
    test(`takes ${id} for ${entry === undefined ? 'nothing of ours' : JSON.stringify(entry)}`, async () => {
      await model(id, facts)
      const report = await refresh()
      assert.deepEqual((await refreshed()).models[0], entry ?? acme.models[0])
      const skipped = report.includes(`acme: not added, kind not served by the provider: ${id}`)
      assert.equal(skipped, entry === undefined)
    })
  }

  test('removes deprecated models, also from the configs', async () => {
    await model('chat-0', { more: 'status = "deprecated"' })
    await model('old-embed', { more: 'status = "deprecated"' })
    await model('gone-before', { more: 'status = "deprecated"' })
    const [removed] = await refresh()
    assert.equal(removed, 'acme: removed chat-0, old-embed')
    const { models, embeddingConfig, ttsConfig } = await refreshed()
    assert.equal(
      models.some(({ id }) => id === 'chat-0' || id === 'old-embed'),
      false,
    )
    assert.deepEqual(embeddingConfig.models, [])
    assert.deepEqual(ttsConfig, acme.ttsConfig)
  })

  test('removes deprecated models from configs that omit the name of the provider', async () => {
    const models = [...acme.models, { id: 'acme/reader', type: 'tts' }]
    const ttsConfig = { models: [{ id: 'reader' }] }
    await write('data/acme.json', JSON.stringify({ ...acme, models, ttsConfig }))
    await model('acme/reader', { more: 'status = "deprecated"' })
    await refresh()
    assert.deepEqual((await refreshed()).ttsConfig.models, [])
  })

  test('with pruning, removes only chat models that models.dev does not have', async () => {
    await model('chat-1')
    assert.deepEqual(await refresh(true), [
      'acme: removed Chat-2, chat-0',
      'acme: kept, unknown to models.dev: old-embed, whisper, speaker',
    ])
  })

  test('takes missing fields from the base model', async () => {
    await write('checkout/models/base/hear.toml', '[modalities]\ninput=["audio"]\noutput=["text"]')
    await write('checkout/providers/acme-ai/models/ear.toml', 'base_model = "base/hear"')
    await refresh()
    assert.deepEqual((await refreshed()).models[0], { id: 'ear', type: 'stt' })
  })

  test('takes limits, prices and abilities, of the base model as well, and changes nothing else if asked to', async () => {
    await write(
      'checkout/models/base/chat.toml',
      'name = "Chat"\ntool_call = true\nreasoning = false\n[limit]\ncontext = 1_000\noutput = 0\n' +
        '[modalities]\ninput = ["text", "pdf"]\noutput = ["text"]\n[cost]\ninput = 5\noutput = 25',
    )
    const own = 'base_model = "base/chat"\n[limit]\noutput = 100\n[cost]\ncache_write = 6.25'
    await write('checkout/providers/acme-ai/models/chat-1.toml', own)
    await model('chat-9')
    await model('chat-0', { more: 'status = "deprecated"' })
    await refresh(false, true)
    const text = await readFile(join(folder, 'data', 'acme.json'), 'utf8')
    const facts = {
      ...{ name: 'Chat', context: 1_000, output: 100, modality: 'text+file->text' },
      ...{ parameters: ['tools'], cost: [5, 25, null, 6.25] },
    }
    const models = acme.models.map((entry) => (entry.id === 'chat-1' ? { ...entry, facts } : entry))
    assert.deepEqual(JSON.parse(text), { ...acme, models })
  })

  test('takes providers without models, as those of the built-in data', async () => {
    const { models: _, ...empty } = acme
    await write('data/acme.json', JSON.stringify(empty))
    await write('data/hand.json', '{"id":"hand","serviceKinds":["webSearch"],"searchConfig":{}}')
    await model('chat-3')
    assert.deepEqual(await refresh(), ['acme: added chat-3'])
    assert.deepEqual((await refreshed()).models, [{ id: 'chat-3' }])
    for (const { text } of await readDataFiles(dataFolder)) dataFileSchema.parse(JSON.parse(text))
  })

  test('keeps a provider that the checkout does not have', async () => {
    assert.deepEqual(await refresh(), ['acme: the checkout has no acme-ai'])
    assert.deepEqual(await refreshed(), acme)
  })

  test('writes nothing when a file of the checkout is broken', async () => {
    await model('chat-3')
    await write('checkout/providers/acme-ai/models/broken.toml', 'name = ')
    await assert.rejects(refresh(), { message: /broken\.toml is not a model of models\.dev/ })
    assert.deepEqual(await refreshed(), acme)
  })

  test('writes nothing when the catalogue would not be valid', async () => {
    await model('chat-3')
    await write('data/hand.json', '{"id":"acme","serviceKinds":["llm"],"models":[]}')
    await assert.rejects(refresh(), { name: 'CatalogueError' })
    assert.deepEqual(await refreshed(), acme)
    assert.deepEqual((await readdir(join(folder, 'data'))).sort(), [
      'acme.json',
      'hand.json',
      'order.json',
    ])
  })
})
