import type { ServiceKind } from '../routing-inputs.ts'
import type { ModelsApi } from '../upstream/flavour.ts'

/** What the list knows of providers without asking anybody, prepared for its look-ups. */
export interface Catalogue {
  /** In the order in which they are listed while no connection is active. */
  readonly providers: readonly CatalogueProvider[]
  readonly byId: ReadonlyMap<string, CatalogueProvider>
}

export interface CatalogueProvider {
  readonly id: string
  /**
   * Both the static alias and that of the provider (docs/contract/model-list.md, "Output alias").
   */
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
  /** Absent where no address is known: connections to this provider cannot be tested. */
  readonly modelsApi: ModelsApi | undefined
}

export interface CatalogueModel {
  readonly id: string
  readonly kind: ServiceKind
}
