import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { buildModelList } from '../../../../src/models/list/build-model-list.ts'
import {
  connectionListings,
  type ListingInputs,
} from '../../../../src/models/list/connection-listing.ts'
import { defaultKinds, kindsOfPath } from '../../../../src/models/list/routing-inputs.ts'
import { routingWarnings } from '../../../../src/models/list/routing-warnings.ts'
import { smallCatalogue } from '../../../support/small-catalogue.ts'

function inputsOf(given: Partial<ListingInputs>): ListingInputs {
  return {
    ...{ connections: [], combos: [], customModels: [], modelAliases: {} },
    ...{ catalogue: smallCatalogue, upstreamIds: new Map(), upstreamFailures: new Map() },
    ...given,
  }
}

function listingOf(given: Partial<ListingInputs>) {
  return connectionListings(inputsOf(given)).map(({ listed, reasons }) => {
    return { listed, reasons: reasons.map(({ message }) => message) }
  })
}

const lab = { id: 'lab', provider: 'openai-compatible-lab' }

describe('connectionListings', () => {
  test('counts what the lists have, for each provider of the catalogue', () => {
    for (const { id: provider } of smallCatalogue.providers) {
      const inputs = inputsOf({ connections: [{ id: 'c', provider }] })
      const lists = [defaultKinds, ...kindsOfPath.values()].flatMap((filter) =>
        buildModelList({ ...inputs, filter, nowMs: 0 }),
      )
      const [listing] = connectionListings(inputs)
      assert.equal(listing?.listed, new Set(lists.map(({ id }) => id)).size, provider)
    }
  })

  test('explains why a connection is not used', () => {
    const [, second, third] = listingOf({
      connections: [
        { id: 'a', provider: 'deepthink' },
        { id: 'b', provider: 'deepthink' },
        { id: 'c', provider: 'alpha', isActive: false },
      ],
    })
    assert.equal(second?.listed, 0)
    assert.match(second?.reasons.join() ?? '', /Another active connection of deepthink comes first/)
    assert.match(third?.reasons.join() ?? '', /turned off/)
  })

  test('names models of a kind that the provider does not serve', () => {
    const upstreamIds = new Map([['lab', ['big', 'text-embed-1', 'tts-1']]])
    const [listing] = connectionListings(inputsOf({ connections: [lab], upstreamIds }))
    assert.equal(listing?.listed, 1)
    assert.deepEqual(listing?.reasons[0]?.models, [
      'openai-compatible-lab/text-embed-1',
      'openai-compatible-lab/tts-1',
    ])
  })

  test('names models whose id another entry has', () => {
    const shared = { prefix: 'x' }
    const [first, second] = connectionListings(
      inputsOf({
        connections: [
          { ...lab, providerSpecificData: { ...shared, enabledModels: ['m'] } },
          {
            ...{ id: 'b', provider: 'openai-compatible-b' },
            providerSpecificData: { ...shared, enabledModels: ['m', 'n'] },
          },
        ],
      }),
    )
    assert.deepEqual([first?.listed, second?.listed], [1, 1])
    assert.deepEqual(second?.reasons[0]?.models, ['x/m'])
  })

  test('counts models added to a shared prefix for its first connection, and only there', () => {
    const own = { prefix: 'p', enabledModels: ['m'] }
    const [first, second] = listingOf({
      connections: [
        { ...lab, providerSpecificData: own },
        { id: 'b', provider: 'openai-compatible-b', providerSpecificData: { prefix: 'p' } },
      ],
      customModels: [{ id: 'added', providerAlias: 'p' }],
      modelAliases: { short: 'p/aliased' },
    })
    assert.deepEqual(first, { listed: 3, reasons: [] })
    assert.deepEqual(second, { listed: 0, reasons: ['The upstream lists no models.'] })
  })

  test('names models that a list has no room for, as the warnings do', () => {
    const enabledModels = Array.from(
      { length: 2_000 },
      (_, index) => `${index}-${'x'.repeat(9_000)}`,
    )
    const next = { id: 'b', provider: 'openai-compatible-b' }
    const inputs = inputsOf({
      connections: [
        { ...lab, providerSpecificData: { prefix: 'p', enabledModels } },
        { ...next, providerSpecificData: { prefix: 'q', enabledModels: ['m'] } },
      ],
    })
    const [first, second] = connectionListings(inputs)
    assert.ok(first && first.listed > 1_000 && first.listed < 2_000)
    assert.equal(first.reasons[0]?.count, 2_000 - first.listed)
    assert.match(first.reasons[0]?.message ?? '', /maximum size of 16 MiB/)
    assert.deepEqual([second?.listed, second?.reasons[0]?.models], [0, ['q/m']])
    assert.deepEqual(
      routingWarnings(inputs)
        .filter(({ message }) => message.includes('16 MiB'))
        .map(({ path }) => path),
      [
        ['connections', 0],
        ['connections', 1],
      ],
    )
  })

  test('explains why an upstream returned no models, or gets no request', () => {
    const upstreamFailures = new Map([['lab', 'The connection has no API key.']])
    assert.deepEqual(listingOf({ connections: [lab], upstreamFailures }), [
      { listed: 0, reasons: ['The connection has no API key.'] },
    ])
    const uuid = { id: 'u', provider: 'openai-compatible-deadbeef01' }
    assert.match(listingOf({ connections: [uuid] })[0]?.reasons.join() ?? '', /ends in hex digits/)
    assert.match(listingOf({ connections: [lab] })[0]?.reasons.join() ?? '', /lists no models/)
    const unknown = { id: 'x', provider: 'opneai' }
    assert.match(
      listingOf({ connections: [unknown] })[0]?.reasons.join() ?? '',
      /no provider opneai/,
    )
  })
})
