import type { ServiceKind } from '../list/routing-inputs.ts'
import type { ModelsApi } from '../upstream/flavour.ts'

/** The static knowledge about providers, indexed for the list. */
export interface Catalogue {
  /** In the order of the list without active connections. */
  readonly providers: readonly CatalogueProvider[]
  readonly byId: ReadonlyMap<string, CatalogueProvider>
}

export interface CatalogueProvider {
  readonly id: string
  /** The static alias and provider alias in one (docs/contract/model-list.md, "Output alias"). */
  readonly alias: string
  readonly serviceKinds: ReadonlySet<ServiceKind>
  readonly models: readonly CatalogueModel[]
  /** Kinds of `models` by their ids. */
  readonly kindOfModel: ReadonlyMap<string, ServiceKind>
  /** Ids in ttsConfig.models; empty without that config. */
  readonly ttsModelIds: readonly string[]
  /** Ids in embeddingConfig.models; empty without that config. */
  readonly embeddingModelIds: readonly string[]
  /** Whether it has a searchConfig. */
  readonly canSearch: boolean
  /** Whether it has a fetchConfig. */
  readonly canFetch: boolean
  /** Undefined if no address is known: connections to this provider cannot be tested. */
  readonly modelsApi: ModelsApi | undefined
}

interface CatalogueModel {
  readonly id: string
  readonly kind: ServiceKind
}
