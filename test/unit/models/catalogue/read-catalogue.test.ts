import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import {
  dataFolder,
  orderFileName,
  readCatalogue,
} from '../../../../src/models/catalogue/catalogue.ts'
import { buildModelList } from '../../../../src/models/list/build-model-list.ts'
import { serviceKinds } from '../../../../src/models/list/routing-inputs.ts'

describe('the built-in catalogue', () => {
  test('is valid, and begins with its order', async () => {
    const { providers } = await readCatalogue(undefined)
    const order = JSON.parse(await readFile(join(dataFolder, orderFileName), 'utf8'))
    assert.deepEqual(
      providers.map(({ id }) => id),
      order,
    )
    assert.ok(providers.length >= 50)
  })

  test('has no file that its order leaves out', async () => {
    const { providers } = await readCatalogue(undefined)
    const expected = [orderFileName, ...providers.map(({ id }) => `${id}.json`)].sort()
    assert.deepEqual((await readdir(dataFolder)).sort(), expected)
  })

  test('lists no model of a connection under two ids', async () => {
    const catalogue = await readCatalogue(undefined)
    for (const { id: provider, alias } of catalogue.providers) {
      const entries = buildModelList({
        filter: new Set(serviceKinds),
        connections: [{ id: 'c', provider, createdAtMs: 0 }],
        combos: [],
        customModels: [],
        modelAliases: {},
        catalogue,
        upstreamIds: new Map(),
        nowMs: 0,
      })
      const bare = entries.map(({ id, kind }) => {
        const segments = id.split('/')
        while (segments[0] === alias || segments[0] === provider) segments.shift()
        return `${kind} ${segments.join('/')}`
      })
      assert.equal(new Set(bare).size, bare.length, provider)
    }
  })

  test('has only models and configs of kinds that their provider serves', async () => {
    const { providers } = await readCatalogue(undefined)
    for (const { id, serviceKinds, models, ...provider } of providers) {
      const used = new Set([
        ...Array.from(models.values(), ({ kind }) => kind),
        ...(provider.ttsModelIds.length > 0 ? ['tts' as const] : []),
        ...(provider.embeddingModelIds.length > 0 ? ['embedding' as const] : []),
        ...(provider.canSearch ? ['webSearch' as const] : []),
        ...(provider.canFetch ? ['webFetch' as const] : []),
      ])
      assert.deepEqual(
        [...used].filter((kind) => !serviceKinds.has(kind)),
        [],
        id,
      )
    }
  })

  test('lists something of every kind that is not the web', async () => {
    const { providers } = await readCatalogue(undefined)
    const models = providers.flatMap((provider) => [...provider.models.values()])
    const kinds = new Set(models.map(({ kind }) => kind))
    assert.deepEqual([...kinds].sort(), ['embedding', 'image', 'imageToText', 'llm', 'stt', 'tts'])
    assert.ok(providers.some(({ canSearch }) => canSearch))
    assert.ok(providers.some(({ canFetch }) => canFetch))
  })
})

describe('readCatalogue of a file', () => {
  let folder = ''
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'catalogue-'))
  })
  after(() => rm(folder, { recursive: true }))

  test('replaces the built-in data', async () => {
    const path = join(folder, 'good.json')
    await writeFile(path, '\uFEFF[{ "id": "mine", "evidence": {} }]')
    const { providers } = await readCatalogue(path)
    assert.deepEqual(
      providers.map(({ id }) => id),
      ['mine'],
    )
  })

  test('names line and field of a mistake', async () => {
    const path = join(folder, 'bad.json')
    await writeFile(path, '[\n  {\n    "id": "mine",\n    "alias": 5\n  }\n]\n')
    await assert.rejects(readCatalogue(path), (error: Error) => {
      return error.message.includes(`${path}:4: [0].alias: `)
    })
  })

  test('reports a missing file', async () => {
    const path = join(folder, 'missing.json')
    await assert.rejects(readCatalogue(path), {
      name: 'CatalogueError',
      message: /missing\.json:1: the file cannot be read/,
    })
  })

  test('refuses a file too large for a catalogue', async () => {
    const path = join(folder, 'large.json')
    await writeFile(path, Buffer.alloc(16 * 1024 * 1024 + 1, ' '))
    await assert.rejects(readCatalogue(path), { message: /the file is too large/ })
  })
})
