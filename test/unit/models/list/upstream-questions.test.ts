import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  type ListedConnectionsInputs,
  listedConnections,
  upstreamQuestions,
} from '../../../../src/models/list/listed-provider.ts'
import type { ServiceKind } from '../../../../src/models/list/routing-inputs.ts'
import { smallCatalogue } from '../../../support/small-catalogue.ts'

const data = { baseUrl: 'http://lab/v1' }

function asked(connections: readonly unknown[], kinds: ServiceKind[] = ['llm']) {
  const inputs = { filter: new Set(kinds), connections, catalogue: smallCatalogue }
  return upstreamQuestions(listedConnections(inputs as ListedConnectionsInputs).providers)
}

function compatible(provider: string, fields: object = {}) {
  return { id: provider, provider, apiKey: 'key', providerSpecificData: data, ...fields }
}

test('upstreamQuestions returns all that the request needs', () => {
  assert.deepEqual(asked([compatible('openai-compatible-lab')]), [
    {
      connectionId: 'openai-compatible-lab',
      flavour: 'openai',
      baseUrl: 'http://lab/v1',
      apiKey: 'key',
    },
  ])
  assert.equal(asked([compatible('anthropic-compatible-lab')])[0]?.flavour, 'anthropic')
})

// docs/contract/model-list.md, "Ids from the upstream".
describe('the provider id decides whether an upstream gets a request', () => {
  const isAsked = {
    'openai-compatible-lab': true,
    'openai-compatible-chat-lab': true,
    'openai-compatible-lab-1234567': true,
    'openai-compatible-lab-12345678': false,
    'openai-compatible-lab_deadbeef': false,
    'openai-compatible-lab-DEADBEEF01': false,
    'openai-compatible-chat-6f1c1f5e-0c8b-4e2a-9d3e-1b2c3d4e5f60': false,
    'openai-compatible-lab-12345678g': true,
    'openai-compatible-lab-12345678-x': true,
    'openai-compatible-labdeadbeef': true,
    'openai-compatible': false,
    'my-openai-compatible-lab': false,
    'custom-embedding-lab': false,
    deepthink: false,
    elsewhere: false,
  }
  for (const [provider, expected] of Object.entries(isAsked)) {
    test(`${provider}: ${expected ? 'yes' : 'no'}`, () => {
      assert.equal(asked([compatible(provider)]).length === 1, expected)
    })
  }
})

test('an upstream gets a request only if there are no base ids', () => {
  const withModels = (enabledModels: unknown) => {
    return compatible('openai-compatible-lab', {
      providerSpecificData: { ...data, enabledModels },
    })
  }
  assert.equal(asked([withModels(['m'])]).length, 0)
  assert.equal(asked([withModels([])]).length, 1)
  assert.equal(asked([withModels(['', ' '])]).length, 1)
})

// docs/contract/model-list.md, "Connected providers".
test('only the first active connection of a provider gets a request', () => {
  const provider = 'openai-compatible-lab'
  const questions = asked([
    { ...compatible(provider), id: 'off', isActive: false, priority: 0 },
    { ...compatible(provider), id: 'second', priority: 2 },
    { ...compatible(provider), id: 'first', priority: 1 },
  ])
  assert.deepEqual(
    questions.map(({ connectionId }) => connectionId),
    ['first'],
  )
})

test('no upstream gets a request for kinds that compatible providers do not serve', () => {
  assert.deepEqual(asked([compatible('openai-compatible-lab')], ['image', 'webSearch']), [])
})
