import { compatibleFlavour } from '../upstream/upstream.ts'
import { buildModelList, type ModelListInputs } from './build-model-list.ts'
import { beyondListSize, connectionListings } from './connection-listing.ts'
import {
  kindOfModel,
  type ListedConnections,
  type ListedProvider,
  listedConnections,
  servedKinds,
  upstreamQuestions,
  withoutPrefix,
} from './listed-provider.ts'
import { allKinds, type CustomModel } from './routing-inputs.ts'

/** Stored input that has no effect on any list. */
export interface RoutingWarning {
  /** Its path in the whole state: `['combos', 2, 'models', 0]`. */
  readonly path: readonly (string | number)[]
  /** What has no effect and what to do. */
  readonly message: string
}

export type WarningInputs = Pick<
  ModelListInputs,
  'connections' | 'combos' | 'customModels' | 'modelAliases' | 'catalogue'
>

/**
 * Finds stored input that lists nothing (docs/contract/model-list.md, "Inputs without effect").
 * Upstreams are not queried: a model that an upstream may have gets no warning.
 */
export function routingWarnings(inputs: WarningInputs): readonly RoutingWarning[] {
  const listed = listedConnections({ ...inputs, filter: allKinds })
  return [
    ...connectionWarnings(inputs),
    ...sizeWarnings(inputs),
    ...comboWarnings(inputs, listed),
    ...customModelWarnings(inputs, listed),
    ...aliasWarnings(inputs, listed),
  ]
}

function* connectionWarnings({ connections, catalogue }: WarningInputs): Iterable<RoutingWarning> {
  for (const [index, { provider }] of connections.entries()) {
    if (compatibleFlavour(provider) !== undefined || catalogue.byId.has(provider)) continue
    const message = `The catalogue has no provider ${provider}. Only models entered for it are listed.`
    yield { path: ['connections', index, 'provider'], message }
  }
}

/** Models of connections beyond the maximum size of a list. */
function* sizeWarnings(inputs: WarningInputs): Iterable<RoutingWarning> {
  const none = { upstreamIds: new Map(), upstreamFailures: new Map() }
  for (const [index, { reasons }] of connectionListings({ ...inputs, ...none }).entries()) {
    const cut = reasons.find(({ message }) => message === beyondListSize)
    if (cut === undefined) continue
    const message = `${cut.count} models of this connection are not listed. ${beyondListSize}`
    yield { path: ['connections', index], message }
  }
}

/** A combo may name listed models, other combos and aliases. */
function* comboWarnings(
  inputs: WarningInputs,
  listed: ListedConnections,
): Iterable<RoutingWarning> {
  const entries = buildModelList(
    { ...inputs, filter: allKinds, upstreamIds: new Map(), nowMs: 0 },
    listed,
  )
  const known = new Set([...entries.map(({ id }) => id), ...Object.keys(inputs.modelAliases)])
  const asked = new Set(upstreamQuestions(listed.providers).map(({ connectionId }) => connectionId))
  const open = new ProvidersByPrefix(
    listed.providers.filter(({ connection }) => asked.has(connection.id)),
  )
  for (const [index, { models = [] }] of inputs.combos.entries()) {
    for (const [position, model] of models.entries()) {
      if (known.has(model) || open.ofModel(model).length > 0) continue
      const message = `No list contains the model ${model}. Check its spelling, or connect its provider.`
      yield { path: ['combos', index, 'models', position], message }
    }
  }
}

function* customModelWarnings(
  { customModels }: WarningInputs,
  listed: ListedConnections,
): Iterable<RoutingWarning> {
  const providers = new ProvidersByPrefix(listed.providers)
  for (const [index, custom] of customModels.entries()) {
    const path = ['customModels', index]
    const { type } = custom
    if (type !== undefined && type !== null && type !== 'llm') {
      const message = 'This model is not listed: only custom models of kind llm (chat) are listed.'
      yield { path: [...path, 'type'], message }
    } else if (!listed.isEmpty) {
      // Without an active connection every custom model is listed, otherwise only those of listed
      // providers.
      const problem = customProblem(custom, providers)
      if (problem !== undefined) yield { path: [...path, problem.field], message: problem.message }
    }
  }
}

function customProblem({ id, providerAlias }: CustomModel, providers: ProvidersByPrefix) {
  const owners = providers.named(providerAlias.trim())
  const field = owners.length === 0 ? 'providerAlias' : 'id'
  if (owners.length === 0) return { field, message: notConnected(providerAlias) }
  const isListed = owners.some((provider) => isServed(id.trim(), provider))
  return isListed ? undefined : { field, message: wrongKind(id) }
}

/**
 * Aliases are listed only with an active connection (docs/contract/model-list.md, "Added models").
 */
function* aliasWarnings(
  { modelAliases }: WarningInputs,
  listed: ListedConnections,
): Iterable<RoutingWarning> {
  const providers = new ProvidersByPrefix(listed.providers)
  for (const [name, target] of Object.entries(modelAliases)) {
    const message = aliasProblem(target, listed.isEmpty ? undefined : providers)
    if (message !== undefined) yield { path: ['modelAliases', name], message }
  }
}

function aliasProblem(
  target: string,
  providers: ProvidersByPrefix | undefined,
): string | undefined {
  if (providers === undefined) return 'Aliases are listed only while a connection is active.'
  const owners = providers.ofModel(target)
  if (owners.length === 0) return notConnected(target.slice(0, target.indexOf('/')))
  const isListed = owners.some(({ provider, id }) => isServed(id, provider))
  return isListed ? undefined : wrongKind(target)
}

/** Whether the model is in a list of a kind that its provider serves. */
function isServed(id: string, provider: ListedProvider): boolean {
  return servedKinds(provider).has(kindOfModel(id, provider))
}

function notConnected(alias: string): string {
  return `This model is not listed: no active connection has the provider or prefix ${alias}.`
}

function wrongKind(id: string): string {
  return `This model is not listed: the name ${id} suggests a kind that its provider does not serve.`
}

interface PrefixedModel {
  readonly provider: ListedProvider
  /** The model id without the prefix. */
  readonly id: string
}

/**
 * Finds listed providers by prefix in time independent of their number
 * (docs/contract/model-list.md, "Removed prefixes" and "Added models").
 */
class ProvidersByPrefix {
  /** By the first segment of each prefix, with its slash. */
  readonly #bySegment: ReadonlyMap<string, readonly ListedProvider[]>

  constructor(providers: readonly ListedProvider[]) {
    const bySegment = new Map<string, Set<ListedProvider>>()
    for (const provider of providers) {
      for (const prefix of provider.prefixes) {
        const segment = firstSegment(prefix)
        bySegment.set(segment, (bySegment.get(segment) ?? new Set()).add(provider))
      }
    }
    this.#bySegment = new Map([...bySegment].map(([segment, found]) => [segment, [...found]]))
  }

  /** Providers with the prefix `<name>/`. */
  named(name: string): readonly ListedProvider[] {
    const prefix = `${name}/`
    const candidates = this.#bySegment.get(firstSegment(prefix)) ?? []
    return candidates.filter(({ prefixes }) => prefixes.includes(prefix))
  }

  /** Providers that `<prefix>/<model id>` may belong to. */
  ofModel(model: string): readonly PrefixedModel[] {
    const candidates = this.#bySegment.get(firstSegment(model)) ?? []
    return candidates
      .filter(({ prefixes }) => prefixes.some((prefix) => model.startsWith(prefix)))
      .map((provider) => ({ provider, id: withoutPrefix(model, provider.prefixes) }))
  }
}

function firstSegment(text: string): string {
  return text.slice(0, text.indexOf('/') + 1)
}
